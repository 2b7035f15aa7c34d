using System.Buffers.Binary;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage;

namespace Optiks.Db.Fsck;

/// <summary>
/// Checks that each period has all rows of copies that its first epoch took. The last row of each key must have its value, unless the value
/// was erased or destroyed. All other rows must have no value.
/// </summary>
internal sealed class CopyCheck(ConsistentRead read, IReadOnlyList<PeriodRow> periods, ErasureCheck erasures, FsckReport report)
{
    private readonly CopyCursor _cursor = new(read);
    private readonly Dictionary<ulong, int> _counts = [];
    private readonly Dictionary<(StructureId, UInt128), (int Number, bool HasValue)> _last = [];
    private ulong _period;
    private long _values;

    /// <summary>
    /// Reads the copies with which a period begins, passes each of them to the action <paramref name="each"/>, and returns the state of
    /// each key according to its last row.
    /// </summary>
    public async Task<Dictionary<(StructureId, UInt128), LatestVersion>> BeginAsync(
        ulong period, Action<StoredCopy> each, CancellationToken cancellationToken)
    {
        var states = new Dictionary<(StructureId, UInt128), LatestVersion>();
        await foreach (StoredCopy copy in _cursor.TakeAsync(period, cancellationToken))
        {
            Check(copy);
            if (copy.Period != period)
            {
                continue;
            }
            each(copy);
            (StructureId, UInt128) key = GetKey(copy);
            if (!copy.Source.IsDrop)
            {
                states[key] = new LatestVersion(
                    1, 0, copy.Number, LeafCheck.Hash(copy.Value?.Key), LeafCheck.Hash(copy.Value?.Value))
                { Source = copy.Source };
            }
            else
            {
                // The row removes the copy of a key whose user has left, so the period has no copy of this key.
                _ = states.Remove(key);
            }
        }
        EndPeriod();
        return states;
    }

    /// <summary>Checks the remaining copies: copies of the next period, and copies whose period does not exist.</summary>
    public async Task EndAsync(CancellationToken cancellationToken)
    {
        await foreach (StoredCopy copy in _cursor.TakeAsync(ulong.MaxValue, cancellationToken))
        {
            Check(copy);
        }
        EndPeriod();
        long stored = await read.CountCopyValuesAsync(cancellationToken);
        if (stored != _values)
        {
            report.Found($"There are {stored} values of copies, but only {_values} belong to a copy.");
        }
        foreach (PeriodRow period in periods)
        {
            if (period.Copies is int copies && copies != _counts.GetValueOrDefault(period.Period))
            {
                report.Found(
                    $"Period {period.Period} has {_counts.GetValueOrDefault(period.Period)} copies, but its first epoch took {copies}.");
            }
        }
        foreach (ulong stray in _counts.Keys.Where(period => periods.All(row => row.Period != period)))
        {
            report.Found($"There are copies of period {stray}, which has no row.");
        }
    }

    private static (StructureId, UInt128) GetKey(StoredCopy copy) => (copy.Structure, BinaryPrimitives.ReadUInt128BigEndian(copy.Tag.Span));

    private void EndPeriod()
    {
        foreach ((int number, bool hasValue) in _last.Values)
        {
            erasures.Check(_period, number, hasValue);
        }
        _last.Clear();
    }

    private void Check(StoredCopy copy)
    {
        if (copy.Period != _period)
        {
            EndPeriod();
            _period = copy.Period;
        }
        if (copy.Number != _counts.GetValueOrDefault(copy.Period))
        {
            report.Found($"The copies of period {copy.Period} have a gap before {copy.Number}.");
        }
        _counts[copy.Period] = copy.Number + 1;
        _values += copy.Value is null ? 0 : 1;
        if (_last.Remove(GetKey(copy), out (int Number, bool HasValue) earlier) && earlier.HasValue)
        {
            report.Found($"Copy {earlier.Number} of period {copy.Period} has a value, although copy {copy.Number} took its place.");
        }
        if (copy.Source.IsDrop)
        {
            if (copy.Value is not null)
            {
                report.Found($"Copy {copy.Number} of period {copy.Period} removes its key, but has a value.");
            }
            return;
        }
        _last[GetKey(copy)] = (copy.Number, copy.Value is not null);
        if (copy.Value is { } value
            && !NativeHash.Compute(HashTags.Commitment, [.. value.Opening.Span, .. value.Value.Span]).AsSpan()
                .SequenceEqual(copy.Commitment.Span))
        {
            report.Found($"Copy {copy.Number} of period {copy.Period} has a value that does not open its commitment.");
        }
    }
}
