namespace Optiks.QueryService.Telemetry;

/// <summary>QueryLog is every event that the query-service logs (1000 to 1999). None carries a key, a value or a secret.</summary>
internal static partial class QueryLog
{
    [LoggerMessage(EventId = 1000, EventName = "Loaded", Level = LogLevel.Information, Message = "Loaded epoch {Epoch}: {Leaves} leaves in {Seconds:F3} s; the roots are those of the record.")]
    public static partial void Loaded(this ILogger logger, ulong epoch, ulong leaves, double seconds);

    [LoggerMessage(EventId = 1001, EventName = "Serving", Level = LogLevel.Debug, Message = "Serving epoch {Epoch}.")]
    public static partial void Serving(this ILogger logger, ulong epoch);

    [LoggerMessage(EventId = 1002, EventName = "Waiting", Level = LogLevel.Information, Message = "{Reason}")]
    public static partial void Waiting(this ILogger logger, string reason);

    [LoggerMessage(EventId = 1003, EventName = "Following", Level = LogLevel.Information, Message = "The log is followed.")]
    public static partial void Following(this ILogger logger);

    [LoggerMessage(EventId = 1010, EventName = "EpochRefused", Level = LogLevel.Critical, Message = "ALARM: the database's log is refused; the last good epoch stays. {Reason}")]
    public static partial void EpochRefused(this ILogger logger, string reason, Exception exception);

    [LoggerMessage(EventId = 1011, EventName = "DatabaseUnavailable", Level = LogLevel.Error, Message = "The database cannot be read; trying again.")]
    public static partial void DatabaseUnavailable(this ILogger logger, Exception exception);

    [LoggerMessage(EventId = 1020, EventName = "BoardUnreadable", Level = LogLevel.Error, Message = "The board's files cannot be read, or are not those of the log.")]
    public static partial void BoardUnreadable(this ILogger logger, Exception exception);

    [LoggerMessage(EventId = 1090, EventName = "Stopped", Level = LogLevel.Critical, Message = "The query-service stops.")]
    public static partial void Stopped(this ILogger logger, Exception exception);
}
