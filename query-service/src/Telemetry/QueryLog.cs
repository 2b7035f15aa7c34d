using Optiks.Tlog;

namespace Optiks.QueryService.Telemetry;

/// <summary>Defines all events that the query-service logs, with the ids 1000 to 1999. No event contains a key, a value or a
/// secret.</summary>
internal static partial class QueryLog
{
    [LoggerMessage(EventId = 1000, EventName = "Loaded", Level = LogLevel.Information,
        Message = "Loaded epoch {Epoch}: {Leaves} leaves in {Seconds:F3} s; the roots match the record.")]
    public static partial void Loaded(this ILogger logger, ulong epoch, ulong leaves, double seconds);

    [LoggerMessage(EventId = 1001, EventName = "Serving", Level = LogLevel.Debug, Message = "Serving epoch {Epoch}.")]
    public static partial void Serving(this ILogger logger, ulong epoch);

    [LoggerMessage(EventId = 1002, EventName = "Waiting", Level = LogLevel.Information, Message = "{Reason}")]
    public static partial void Waiting(this ILogger logger, string reason);

    [LoggerMessage(EventId = 1003, EventName = "Following", Level = LogLevel.Information, Message = "Following the log.")]
    public static partial void Following(this ILogger logger);

    [LoggerMessage(EventId = 1004, EventName = "NotRehearsed", Level = LogLevel.Information,
        Message = "The first answers could not be rehearsed; callers are answered anyway.")]
    public static partial void NotRehearsed(this ILogger logger, Exception exception);

    [LoggerMessage(EventId = 1010, EventName = "EpochRefused", Level = LogLevel.Critical,
        Message = "ALARM: the database's log is refused; the last good epoch is still served. {Reason}")]
    public static partial void EpochRefused(this ILogger logger, string reason, Exception? exception);

    [LoggerMessage(EventId = 1011, EventName = "DatabaseUnavailable", Level = LogLevel.Error,
        Message = "The database cannot be read; trying again.")]
    public static partial void DatabaseUnavailable(this ILogger logger, Exception? exception);

    [LoggerMessage(EventId = 9070, EventName = "KeyUnavailable", Level = LogLevel.Error,
        Message = "A key cannot be used; trying again. The last good epoch is still served. {Problem}")]
    public static partial void KeyUnavailable(this ILogger logger, string problem, Exception? exception);

    [LoggerMessage(EventId = 1012, EventName = "FolderUnavailable", Level = LogLevel.Error,
        Message = "The replica's folder, or a file of the log, cannot be read or written; trying again. The last good epoch is still served.")]
    public static partial void FolderUnavailable(this ILogger logger, Exception? exception);

    [LoggerMessage(EventId = 1016, EventName = "FilesDamaged", Level = LogLevel.Error,
        Message = "This replica's own files of period {Period} are damaged; they are being rebuilt from the database.")]
    public static partial void FilesDamaged(this ILogger logger, ulong period, Exception exception);

    [LoggerMessage(EventId = 1013, EventName = "NextPeriodRefused", Level = LogLevel.Error,
        Message = "The next period's trees cannot be made; following the current period until it ends. {Reason}")]
    public static partial void NextPeriodRefused(this ILogger logger, string reason, Exception? exception);

    [LoggerMessage(EventId = 1014, EventName = "EndedPeriodReady", Level = LogLevel.Information,
        Message = "Saved period {Period}, which ended with epoch {Epoch}, in a file in {Seconds:F3} s.")]
    public static partial void EndedPeriodReady(this ILogger logger, ulong period, ulong epoch, double seconds);

    [LoggerMessage(EventId = 1015, EventName = "EndedPeriodNotMade", Level = LogLevel.Error,
        Message = "The file of period {Period}, which has ended, cannot be made; trying again. {Reason}")]
    public static partial void EndedPeriodNotMade(this ILogger logger, ulong period, string reason, Exception? exception);

    [LoggerMessage(EventId = 1020, EventName = "BoardUnreadable", Level = LogLevel.Error,
        Message = "The board's files cannot be read, or do not belong to the log.")]
    public static partial void BoardUnreadable(this ILogger logger, Exception exception);

    [LoggerMessage(EventId = 1030, EventName = "SnapshotFetching", Level = LogLevel.Information,
        Message = "Fetching the snapshot of {Peer}: {Bytes} bytes.")]
    public static partial void SnapshotFetching(this ILogger logger, Uri peer, long bytes);

    [LoggerMessage(EventId = 1031, EventName = "SnapshotProgress", Level = LogLevel.Information,
        Message = "Fetched {Percent} % of the snapshot.")]
    public static partial void SnapshotProgress(this ILogger logger, int percent);

    [LoggerMessage(EventId = 1032, EventName = "SnapshotFetched", Level = LogLevel.Information,
        Message = "Fetched the snapshot of {Peer} in {Seconds:F3} s and checked it in {CheckSeconds:F3} s.")]
    public static partial void SnapshotFetched(this ILogger logger, Uri peer, double seconds, double checkSeconds);

    [LoggerMessage(EventId = 1033, EventName = "PeerBusy", Level = LogLevel.Information,
        Message = "{Peer} is serving its snapshot to other replicas; asking again.")]
    public static partial void PeerBusy(this ILogger logger, Uri peer);

    [LoggerMessage(EventId = 1034, EventName = "PeerFailed", Level = LogLevel.Warning, Message = "No snapshot from {Peer}: {Reason}")]
    public static partial void PeerFailed(this ILogger logger, Uri peer, string reason);

    [LoggerMessage(EventId = 1035, EventName = "SnapshotServed", Level = LogLevel.Information,
        Message = "Another replica downloaded this one's snapshot: {Bytes} bytes in {Seconds:F3} s.")]
    public static partial void SnapshotServed(this ILogger logger, long bytes, double seconds);

    [LoggerMessage(EventId = 1036, EventName = "SnapshotNotServed", Level = LogLevel.Warning,
        Message = "Another replica did not finish downloading this one's snapshot.")]
    public static partial void SnapshotNotServed(this ILogger logger, Exception exception);

    [LoggerMessage(EventId = 1040, EventName = "CosignerFails", Level = LogLevel.Warning,
        Message = "No newer cosignature of {Cosigner} is served. {Reason}")]
    public static partial void CosignerFails(this ILogger logger, string cosigner, string reason);

    [LoggerMessage(EventId = 1041, EventName = "CosignerWorks", Level = LogLevel.Information,
        Message = "Serving cosignatures of {Cosigner}.")]
    public static partial void CosignerWorks(this ILogger logger, string cosigner);

    [LoggerMessage(
        EventId = 1042, EventName = "CosignerContradicts", Level = LogLevel.Critical,
        Message = "ALARM: {Cosigner} cosigned a checkpoint of size {Size} and root {Root} that the log signed, but that does not belong to the log served here: the log forked, or this replica has another history.")]
    public static partial void CosignerContradicts(this ILogger logger, string cosigner, ulong size, TreeHash root);

    [LoggerMessage(EventId = 1090, EventName = "Stopped", Level = LogLevel.Critical, Message = "The query-service is stopping.")]
    public static partial void Stopped(this ILogger logger, Exception exception);
}
