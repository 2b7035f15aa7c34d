using Optiks.Protocol;
using Optiks.QueryService.Following;
using Optiks.ServiceDefaults;
using Optiks.Tlog;

namespace Optiks.QueryService.Answers;

/// <summary>
/// Renders the bounds of the periods that had begun at one epoch (docs/spec/periods.md section 4), one page at a time. This class reads the
/// page that ends with the current period from the board at the first request for this page, and then keeps it. Thread-safe.
/// </summary>
internal sealed class EpochBounds
{
    /// <summary>The largest number of periods in a page. Each period has two bounds.</summary>
    public const int MaxPeriods = ProtocolLimits.MaxPeriodBounds / 2;

    // The largest number of periods in a page before the page's last period. A page has the first and the last record of each of these
    // periods, but only the first record of the last period.
    private const ulong EndedOfPage = MaxPeriods - 1;

    private readonly BoardLog _log;
    private readonly ReadOnlyMemory<byte> _record;
    private readonly Lock _gate = new();
    private Task<Periods>? _periods;

    public EpochBounds(BoardLog log, ReadOnlyMemory<byte> record)
    {
        _log = log;
        _record = record;
    }

    /// <summary>
    /// Returns the bytes of a page of bounds that begins with a period, and the record for the head of the answer. That record is the
    /// current one, or the record with which the page ends. Throws <see cref="ProblemException"/> if the period has not begun, and
    /// <see cref="BoardUnreadableException"/> if the board cannot be read.
    /// </summary>
    public async Task<(ReadOnlyMemory<byte> Octets, ReadOnlyMemory<byte> Record)> RenderAsync(
        ulong from, CancellationToken cancellationToken)
    {
        ulong current = EpochRecord.ReadPeriod(_record.Span);
        if (from > current)
        {
            throw new ProblemException(new Problem(ProblemTypes.NotFound, $"This replica's newest period is {current}."));
        }
        if (current - from > EndedOfPage)
        {
            ReadOnlyMemory<byte> last = await FindFirstRecordAsync(from + EndedOfPage, cancellationToken);
            return ((await ReadPageAsync(last, cancellationToken)).Octets, last);
        }
        Periods periods = await ReadAsync().WaitAsync(cancellationToken);
        return (periods.Octets[periods.Offsets[(int)(from - periods.First)]..], _record);
    }

    /// <summary>
    /// Reads the page that ends with the current period, before a request needs it. If this fails, the next request reads the page again.
    /// </summary>
    public async Task PrepareAsync() => await ((Task)ReadAsync()).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);

    // Returns the page that ends with the current period. All requests share one read, which continues even if a client disconnects. After
    // a failed read, the next request reads again.
    private Task<Periods> ReadAsync()
    {
        lock (_gate)
        {
            return _periods is null or { IsFaulted: true }
                ? _periods = Task.Run(() => ReadPageAsync(_record, CancellationToken.None))
                : _periods;
        }
    }

    // Finds the first record of a period. It finds an epoch of the period by binary search, which works because the periods of epochs never
    // decrease. The record of that epoch names the period's first epoch.
    private async Task<ReadOnlyMemory<byte>> FindFirstRecordAsync(ulong period, CancellationToken cancellationToken)
    {
        (ulong low, ulong high) = (0, EpochRecord.ReadEpoch(_record.Span));
        while (true)
        {
            ulong middle = low + ((high - low) / 2);
            var found = EpochRecord.Decode((await _log.ReadRecordAsync(middle, cancellationToken)).Span);
            if (found.Period == period)
            {
                return await _log.ReadRecordAsync(found.PeriodFirstEpoch, cancellationToken);
            }
            (low, high) = found.Period < period ? (middle + 1, high) : (low, middle);
        }
    }

    // Reads the page that ends with the period of the given record, from its last period to its first. A record names the first epoch of
    // its period, and the epoch before that first epoch is the last epoch of the previous period.
    private async Task<Periods> ReadPageAsync(ReadOnlyMemory<byte> record, CancellationToken cancellationToken)
    {
        var parts = new Stack<List<byte[]>>();
        ulong last = EpochRecord.ReadEpoch(record.Span);
        ulong period;
        while (true)
        {
            var found = EpochRecord.Decode(record.Span);
            List<byte[]> bounds = [await RenderBoundAsync(found.PeriodFirstEpoch, cancellationToken)];
            if (parts.Count > 0 && last != found.PeriodFirstEpoch)
            {
                bounds.Add(await RenderBoundAsync(last, cancellationToken));
            }
            parts.Push(bounds);
            if (found.PeriodFirstEpoch == 0 || parts.Count == MaxPeriods)
            {
                period = found.Period;
                break;
            }
            last = found.PeriodFirstEpoch - 1;
            record = await _log.ReadRecordAsync(last, cancellationToken);
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

    private async Task<byte[]> RenderBoundAsync(ulong epoch, CancellationToken cancellationToken)
    {
        ReadOnlyMemory<byte> record = epoch == EpochRecord.ReadEpoch(_record.Span)
            ? _record
            : await _log.ReadRecordAsync(epoch, cancellationToken);
        IReadOnlyList<TreeHash> inclusion = await _log.ProveInclusionAsync(epoch, cancellationToken);
        byte[] bound = new byte[EpochRecord.Length + sizeof(ushort) + (inclusion.Count * TreeHash.Length)];
        record.Span.CopyTo(bound);
        EpochHeads.WriteHashes(bound.AsSpan(EpochRecord.Length), inclusion);
        return bound;
    }

    // Holds the bounds of all periods from the period First on, and the offset at which each period's bounds begin.
    private sealed record Periods(ulong First, int[] Offsets, ReadOnlyMemory<byte> Octets);
}
