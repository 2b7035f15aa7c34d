using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage;

namespace Optiks.Db.Fsck;

/// <summary>CopyCheck: the copies of each period are complete, as many as its first epoch took, and have their values unless these were erased or destroyed.</summary>
internal sealed class CopyCheck(IReadOnlyList<PeriodRow> periods, ErasureCheck erasures, Report report)
{
    private const int Page = 4096;

    /// <summary>RunAsync reads all copies.</summary>
    public async Task RunAsync(IConsistentRead read, CancellationToken cancellationToken)
    {
        var counts = new Dictionary<ulong, int>();
        (ulong Period, int Number) next = (0, 0);
        long values = 0;
        IReadOnlyList<StoredCopy> page;
        while ((page = await read.ReadCopiesAsync(next.Period, next.Number, Page, cancellationToken)).Count > 0)
        {
            foreach (StoredCopy copy in page)
            {
                int expected = copy.Period == next.Period ? next.Number : 0;
                if (copy.Number != expected)
                {
                    report.Found($"The copies of period {copy.Period} have a gap before {copy.Number}.");
                }
                Check(copy);
                values += copy.Value is null ? 0 : 1;
                next = (copy.Period, copy.Number + 1);
                counts[copy.Period] = next.Number;
            }
        }
        long stored = await read.CountCopyValuesAsync(cancellationToken);
        if (stored != values)
        {
            report.Found($"There are {stored} values of copies, but {values} belong to one.");
        }
        foreach (PeriodRow period in periods)
        {
            if (period.Copies is int copies && copies != counts.GetValueOrDefault(period.Period))
            {
                report.Found($"Period {period.Period} has {counts.GetValueOrDefault(period.Period)} copies, but its first epoch took {copies}.");
            }
        }
        foreach (ulong stray in counts.Keys.Where(period => periods.All(row => row.Period != period)))
        {
            report.Found($"There are copies of period {stray}, of which there is no row.");
        }
    }

    private void Check(StoredCopy copy)
    {
        PeriodState? state = periods.FirstOrDefault(period => period.Period == copy.Period)?.State;
        ulong? erasedIn = erasures.DecidedIn(copy);
        bool mayLack = copy.Source.IsDrop || erasedIn is not null || state is PeriodState.Destroying or PeriodState.Destroyed;
        if (copy.Value is null)
        {
            if (!mayLack)
            {
                report.Found($"Copy {copy.Number} of period {copy.Period} has no value, and no epoch erased it.");
            }
            return;
        }
        if (copy.Source.IsDrop)
        {
            report.Found($"Copy {copy.Number} of period {copy.Period} takes its key out, but has a value.");
            return;
        }
        if (erasedIn is not null || state == PeriodState.Destroyed)
        {
            report.Found($"Copy {copy.Number} of period {copy.Period} has a value that was erased or destroyed: it came back.");
        }
        if (!NativeHash.Compute(HashTags.Commitment, [.. copy.Value.Opening.Span, .. copy.Value.Value.Span]).AsSpan().SequenceEqual(copy.Commitment.Span))
        {
            report.Found($"Copy {copy.Number} of period {copy.Period} has a value that does not open its commitment.");
        }
    }
}
