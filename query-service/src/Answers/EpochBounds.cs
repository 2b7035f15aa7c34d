using Optiks.Protocol;
using Optiks.QueryService.Following;
using Optiks.ServiceDefaults;
using Optiks.Tlog;

namespace Optiks.QueryService.Answers;

/// <summary>
/// EpochBounds renders the bounds of periods (docs/spec/periods.md section 4) as of one epoch. They are read from the board when first asked for, as many as one answer may have, and then kept. Any thread.
/// </summary>
internal sealed class EpochBounds
{
    private readonly LogView _log;
    private readonly ReadOnlyMemory<byte> _record;
    private readonly Lock _gate = new();
    private Task<Periods>? _periods;

    public EpochBounds(LogView log, ReadOnlyMemory<byte> record)
    {
        _log = log;
        _record = record;
    }

    /// <summary>
    /// RenderAsync gives the octets of the bounds from a period on. Throws <see cref="ProblemException"/> for one that has not begun, or of which there are more than one answer has, and
    /// <see cref="BoardUnreadableException"/>.
    /// </summary>
    public async Task<ReadOnlyMemory<byte>> RenderAsync(ulong from, CancellationToken cancellationToken)
    {
        ulong current = EpochRecord.PeriodOf(_record.Span);
        if (from > current)
        {
            throw new ProblemException(new Problem(ProblemTypes.NotFound, $"The newest period here is {current}."));
        }
        Periods periods = await ReadAsync().WaitAsync(cancellationToken);
        return from >= periods.First
            ? periods.Octets[periods.Offsets[(int)(from - periods.First)]..]
            : throw new ProblemException(new Problem(ProblemTypes.RangeTooLarge, $"An answer has at most {ProtocolLimits.MaxPeriodBounds} bounds: those from period {periods.First} on.", "?from"));
    }

    /// <summary>PrepareAsync reads them ahead. What fails is tried again by who asks.</summary>
    public async Task PrepareAsync() => await ((Task)ReadAsync()).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);

    // Once for all who ask, whoever of them goes away; again after a failure.
    private Task<Periods> ReadAsync()
    {
        lock (_gate)
        {
            return _periods is null or { IsFaulted: true } ? _periods = Task.Run(ReadAllAsync) : _periods;
        }
    }

    // From the newest back: a record names the first epoch of its period, and the epoch before that is the last one of the period before.
    private async Task<Periods> ReadAllAsync()
    {
        var parts = new Stack<List<byte[]>>();
        int count = 0;
        ulong last = EpochRecord.EpochOf(_record.Span);
        ReadOnlyMemory<byte> record = _record;
        ulong period;
        while (true)
        {
            var found = EpochRecord.Decode(record.Span);
            List<byte[]> bounds = [await RenderAsync(found.PeriodFirstEpoch)];
            if (parts.Count > 0 && last != found.PeriodFirstEpoch)
            {
                bounds.Add(await RenderAsync(last));
            }
            count += bounds.Count;
            if (count > ProtocolLimits.MaxPeriodBounds)
            {
                period = found.Period + 1;
                break;
            }
            parts.Push(bounds);
            if (found.PeriodFirstEpoch == 0)
            {
                period = found.Period;
                break;
            }
            last = found.PeriodFirstEpoch - 1;
            record = await _log.ReadRecordAsync(last, CancellationToken.None);
        }
        int[] offsets = new int[parts.Count];
        int next = 0;
        byte[] octets = [.. parts.SelectMany((bounds, i) =>
        {
            offsets[i] = next;
            next += bounds.Sum(bound => bound.Length);
            return bounds.SelectMany(bound => bound);
        })];
        return new Periods(period, offsets, octets);
    }

    private async Task<byte[]> RenderAsync(ulong epoch)
    {
        ReadOnlyMemory<byte> record = epoch == EpochRecord.EpochOf(_record.Span) ? _record : await _log.ReadRecordAsync(epoch, CancellationToken.None);
        IReadOnlyList<TreeHash> inclusion = await _log.ProveInclusionAsync(epoch, CancellationToken.None);
        byte[] bound = new byte[EpochRecord.Length + sizeof(ushort) + (inclusion.Count * TreeHash.Length)];
        record.Span.CopyTo(bound);
        EpochHeads.WriteHashes(bound.AsSpan(EpochRecord.Length), inclusion);
        return bound;
    }

    // The bounds of all periods from First on, and where those of each begin.
    private sealed record Periods(ulong First, int[] Offsets, ReadOnlyMemory<byte> Octets);
}
