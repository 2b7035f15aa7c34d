using Microsoft.Extensions.Logging;

namespace Optiks.ServiceDefaults;

/// <summary>Defines the events that services log about snapshots on disk.</summary>
public static partial class SnapshotLog
{
    /// <summary>Logs that a snapshot is on the disk.</summary>
    [LoggerMessage(EventId = 5000, EventName = "SnapshotSaved", Level = LogLevel.Information,
        Message = "Saved a snapshot of epoch {Epoch} in {Seconds:F3} s.")]
    public static partial void SnapshotSaved(this ILogger logger, ulong epoch, double seconds);

    /// <summary>Logs that a snapshot could not be saved.</summary>
    [LoggerMessage(EventId = 5001, EventName = "SnapshotNotSaved", Level = LogLevel.Warning,
        Message = "The snapshot was not saved; the previous one is kept.")]
    public static partial void SnapshotNotSaved(this ILogger logger, Exception exception);

    /// <summary>Logs that the service starts from a snapshot.</summary>
    [LoggerMessage(EventId = 5002, EventName = "SnapshotUsed", Level = LogLevel.Information,
        Message = "Starting from the snapshot of epoch {Epoch}, whose roots match the record.")]
    public static partial void SnapshotUsed(this ILogger logger, ulong epoch);

    /// <summary>Logs that the service does not start from the snapshot, with the reason.</summary>
    [LoggerMessage(EventId = 5003, EventName = "SnapshotRefused", Level = LogLevel.Warning,
        Message = "The snapshot on disk is not used: {Reason}")]
    public static partial void SnapshotRefused(this ILogger logger, string reason);
}
