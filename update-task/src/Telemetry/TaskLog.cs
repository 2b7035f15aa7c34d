namespace Optiks.UpdateTask.Telemetry;

/// <summary>
/// Defines the task's log events. Their event ids are in the range 3000 to 3999. Events contain no directory keys, no values and no
/// secrets.
/// </summary>
internal static partial class TaskLog
{
    [LoggerMessage(EventId = 3000, EventName = "Standby", Level = LogLevel.Information, Message = "Waiting for the lease as {Holder}.")]
    public static partial void Standby(this ILogger logger, string holder);

    [LoggerMessage(EventId = 3001, EventName = "LeaseAcquired", Level = LogLevel.Information,
        Message = "Holding the lease with fence {Fence}.")]
    public static partial void LeaseAcquired(this ILogger logger, long fence);

    [LoggerMessage(EventId = 3002, EventName = "LeaseTaken", Level = LogLevel.Warning, Message = "Another task has taken the lease.")]
    public static partial void LeaseTaken(this ILogger logger);

    [LoggerMessage(EventId = 3003, EventName = "LeaseNotRenewed", Level = LogLevel.Warning, Message = "The lease could not be renewed.")]
    public static partial void LeaseNotRenewed(this ILogger logger, Exception exception);

    [LoggerMessage(EventId = 3004, EventName = "LeaseNotReleased", Level = LogLevel.Warning,
        Message = "The lease could not be released; it will expire.")]
    public static partial void LeaseNotReleased(this ILogger logger, Exception exception);

    [LoggerMessage(EventId = 3005, EventName = "SteppedDown", Level = LogLevel.Warning,
        Message = "No longer the writer: waiting for the lease again.")]
    public static partial void SteppedDown(this ILogger logger, Exception exception);

    [LoggerMessage(EventId = 3006, EventName = "DatabaseUnavailable", Level = LogLevel.Error,
        Message = "The database is unavailable; trying again.")]
    public static partial void DatabaseUnavailable(this ILogger logger, Exception exception);

    [LoggerMessage(EventId = 3007, EventName = "LockHolderKilled", Level = LogLevel.Warning,
        Message = "Killed the update-task {ProcessId}, which kept the board's lock without holding the lease.")]
    public static partial void LockHolderKilled(this ILogger logger, int processId);

    [LoggerMessage(EventId = 3008, EventName = "LeaseGivenUp", Level = LogLevel.Error,
        Message = "No epoch was finished for {Seconds:F0} s: giving the lease up, so that a standby takes over.")]
    public static partial void LeaseGivenUp(this ILogger logger, double seconds);

    [LoggerMessage(EventId = 3010, EventName = "GenesisCreated", Level = LogLevel.Information,
        Message = "Created the log {Origin}; clients need {TrustAnchor}.")]
    public static partial void GenesisCreated(this ILogger logger, string origin, string trustAnchor);

    [LoggerMessage(EventId = 3011, EventName = "GenesisOptionsIgnored", Level = LogLevel.Warning,
        Message = "Optiks:Log differs from the configuration of the log {Origin}, which never changes: the log's own is used.")]
    public static partial void GenesisOptionsIgnored(this ILogger logger, string origin);

    [LoggerMessage(EventId = 3012, EventName = "TrustAnchorRemade", Level = LogLevel.Warning,
        Message = "{TrustAnchor} was missing and is recreated from the configuration and the log's key.")]
    public static partial void TrustAnchorRemade(this ILogger logger, string trustAnchor);

    [LoggerMessage(EventId = 3020, EventName = "TreeRebuilt", Level = LogLevel.Information,
        Message = "Rebuilt the trees of epoch {Epoch} from the database: {Leaves} leaves in {Seconds:F3} s; the roots match the record.")]
    public static partial void TreeRebuilt(this ILogger logger, ulong epoch, ulong leaves, double seconds);

    [LoggerMessage(EventId = 3021, EventName = "FinishingEpoch", Level = LogLevel.Information,
        Message = "Finishing epoch {Epoch}, which was committed and not published.")]
    public static partial void FinishingEpoch(this ILogger logger, ulong epoch);

    [LoggerMessage(EventId = 3022, EventName = "BoardRebuilt", Level = LogLevel.Warning,
        Message = "The board was lost or behind: its tiles and audit proofs up to epoch {Epoch} are rebuilt from the database.")]
    public static partial void BoardRebuilt(this ILogger logger, ulong epoch);

    /// <summary>
    /// Logs a published epoch with its times. The parameter <paramref name="milliseconds"/> is the time from the epoch's beginning to its
    /// publication, and <paramref name="stepMilliseconds"/> is the total time of its steps. The parameter
    /// <paramref name="databaseMilliseconds"/> is the part of that total in which the task waited for the database.
    /// </summary>
    [LoggerMessage(EventId = 3030, EventName = "EpochPublished", Level = LogLevel.Information,
        Message = "Published epoch {Epoch}: {Updates} updates, {Refused} refused, {Milliseconds:F1} ms; database {DatabaseMilliseconds:F1} of {StepMilliseconds:F1} ms: {Steps}.")]
    public static partial void EpochPublished(
        this ILogger logger, ulong epoch, int updates, int refused, double milliseconds, double databaseMilliseconds,
        double stepMilliseconds, EpochTimes steps);

    [LoggerMessage(EventId = 3031, EventName = "EpochFailed", Level = LogLevel.Error,
        Message = "The epoch could not be finished; trying again.")]
    public static partial void EpochFailed(this ILogger logger, Exception exception);

    [LoggerMessage(EventId = 3032, EventName = "ClockAlarm", Level = LogLevel.Critical, Message = "{Reason}")]
    public static partial void ClockAlarm(this ILogger logger, string reason);

    [LoggerMessage(EventId = 3033, EventName = "ClockAlarmEnded", Level = LogLevel.Information, Message = "The clocks agree again.")]
    public static partial void ClockAlarmEnded(this ILogger logger);

    [LoggerMessage(EventId = 3034, EventName = "CommitUnknown", Level = LogLevel.Warning,
        Message = "The result of the commit of epoch {Epoch} is unknown: asking the database.")]
    public static partial void CommitUnknown(this ILogger logger, ulong epoch);

    [LoggerMessage(
        EventId = 3039, EventName = "PeriodAnnounced", Level = LogLevel.Information,
        Message = "Period {Period} begins at {Time:u} or as soon afterwards as its copies are complete. To decide that yourself, set Optiks:Periods:Automatic to false.")]
    public static partial void PeriodAnnounced(this ILogger logger, ulong period, DateTimeOffset time);

    [LoggerMessage(EventId = 3040, EventName = "PeriodPrepared", Level = LogLevel.Information,
        Message = "Preparing period {Period}: it has its secrets.")]
    public static partial void PeriodPrepared(this ILogger logger, ulong period);

    [LoggerMessage(EventId = 3041, EventName = "PeriodStaged", Level = LogLevel.Information,
        Message = "Period {Period} is complete with {Copies} copies, up to epoch {Epoch}; later changes follow.")]
    public static partial void PeriodStaged(this ILogger logger, ulong period, int copies, ulong epoch);

    [LoggerMessage(EventId = 3042, EventName = "PeriodBegan", Level = LogLevel.Information,
        Message = "Period {Period} begins with epoch {Epoch} and {Copies} copies.")]
    public static partial void PeriodBegan(this ILogger logger, ulong period, ulong epoch, int copies);

    [LoggerMessage(EventId = 3043, EventName = "PeriodDestroying", Level = LogLevel.Information,
        Message = "Period {Period} is no longer served: destroying its secrets.")]
    public static partial void PeriodDestroying(this ILogger logger, ulong period);

    [LoggerMessage(EventId = 3044, EventName = "PeriodDestroyed", Level = LogLevel.Information,
        Message = "The secrets and openings of period {Period} are destroyed.")]
    public static partial void PeriodDestroyed(this ILogger logger, ulong period);

    [LoggerMessage(EventId = 3090, EventName = "Stopped", Level = LogLevel.Critical, Message = "The update-task is stopping.")]
    public static partial void Stopped(this ILogger logger, Exception exception);
}
