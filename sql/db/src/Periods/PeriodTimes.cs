using Optiks.Protocol;
using Optiks.Storage;

namespace Optiks.Db.Periods;

/// <summary>
/// Holds the periods in a database, and computes the times that the log's configuration allows for them (docs/spec/periods.md sections 1
/// and 8).
/// </summary>
internal sealed class PeriodTimes
{
    private readonly Dictionary<ulong, ulong> _startMs;

    private PeriodTimes(IReadOnlyList<PeriodRow> periods, PeriodRow current, HeadRow head, Dictionary<ulong, ulong> startMs)
    {
        Periods = periods;
        Current = current;
        Head = head;
        Configuration = Configuration.Decode(current.Configuration);
        _startMs = startMs;
    }

    /// <summary>The rows of all periods, oldest first.</summary>
    public IReadOnlyList<PeriodRow> Periods { get; }

    /// <summary>The row of the current period.</summary>
    public PeriodRow Current { get; }

    /// <summary>The database's head row.</summary>
    public HeadRow Head { get; }

    /// <summary>The log's configuration.</summary>
    public Configuration Configuration { get; }

    /// <summary>The earliest time of the first epoch of the period after the current one.</summary>
    public DateTimeOffset SwitchNotBefore => EarliestAfter(1);

    /// <summary>Reads the periods and their times. Throws <see cref="StorageMisconfiguredException"/> if the database has no log.</summary>
    public static async Task<PeriodTimes> ReadAsync(PipelineStore store, CancellationToken cancellationToken)
    {
        HeadRow head = await store.ReadHeadAsync(cancellationToken);
        if (head.Epoch is null)
        {
            throw new StorageMisconfiguredException(
                "The database has no log, and so no periods: the update-task creates the log at its first start.");
        }
        IReadOnlyList<PeriodRow> periods = await store.ReadPeriodsAsync(cancellationToken);
        PeriodRow current = PeriodRows.Current(periods);
        var startMs = new Dictionary<ulong, ulong>();
        foreach (PeriodRow period in periods)
        {
            if (period.FirstEpoch is ulong first)
            {
                EpochRow row = await store.ReadEpochAsync(first, cancellationToken);
                startMs.Add(period.Period, EpochRecord.Decode(row.Record.Span).TimeMs);
            }
        }
        return new PeriodTimes(periods, current, head, startMs);
    }

    /// <summary>Returns the time at which a period began, according to its first record.</summary>
    public DateTimeOffset Start(ulong period) => Time(_startMs[period]);

    /// <summary>Returns the last epoch of a period that has begun; null if the period has not ended.</summary>
    public ulong? LastEpoch(ulong period) =>
        (int)period + 1 < Periods.Count && Periods[(int)period + 1].FirstEpoch is ulong next ? next - 1 : null;

    /// <summary>Returns whether the log still serves a period that has begun.</summary>
    public bool IsServed(ulong period) => Current.Period - period < Configuration.RetainedPeriods;

    /// <summary>
    /// Returns the earliest time at which a served period may stop being served. The actual time is later if the switches to later periods
    /// happen later.
    /// </summary>
    public DateTimeOffset ServedUntil(ulong period) => EarliestAfter(period + Configuration.RetainedPeriods - Current.Period);

    /// <summary>Returns the row of a period that is no longer served. Throws <see cref="PeriodRefusedException"/> for any other
    /// period.</summary>
    public PeriodRow Ended(ulong period)
    {
        if (period > Current.Period)
        {
            throw new PeriodRefusedException($"Period {period} has not begun: the log is in period {Current.Period}.");
        }
        return !IsServed(period)
            ? Periods[(int)period]
            : throw new PeriodRefusedException(
                $"Period {period} is served until period {period + Configuration.RetainedPeriods} begins, not before {ServedUntil(period):u}, as the log's configuration promises owners.");
    }

    // Returns the earliest time of the first epoch of the period that is this many periods after the current one.
    private DateTimeOffset EarliestAfter(ulong periods) =>
        Time(checked(_startMs[Current.Period] + (periods * Configuration.PeriodLengthMs)));

    // Converts a time, and limits it to the range of DateTimeOffset, which a log's configuration may exceed.
    private static DateTimeOffset Time(ulong ms) => ms < (ulong)DateTimeOffset.MaxValue.ToUnixTimeMilliseconds()
        ? DateTimeOffset.FromUnixTimeMilliseconds((long)ms)
        : DateTimeOffset.MaxValue;
}
