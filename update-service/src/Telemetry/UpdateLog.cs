using Optiks.Secrets;

namespace Optiks.UpdateService.Telemetry;

/// <summary>Defines all events that the update-service logs, with the ids 2000 to 2999. No event contains a key, a value or a request
/// id.</summary>
internal static partial class UpdateLog
{
    [LoggerMessage(EventId = 2000, EventName = "CommitUnavailable", Level = LogLevel.Error,
        Message = "The database did not accept updates; their callers are told to try again.")]
    public static partial void CommitUnavailable(this ILogger logger, Exception exception);

    [LoggerMessage(EventId = 2001, EventName = "CommitFailed", Level = LogLevel.Error, Message = "Committing updates failed unexpectedly.")]
    public static partial void CommitFailed(this ILogger logger, Exception exception);

    [LoggerMessage(EventId = 2002, EventName = "AcceptsHeld", Level = LogLevel.Critical, Message = "No updates are accepted. {Reason}")]
    public static partial void AcceptsHeld(this ILogger logger, string reason);

    [LoggerMessage(EventId = 2003, EventName = "AcceptsResumed", Level = LogLevel.Information,
        Message = "The database and the board agree again: updates are accepted.")]
    public static partial void AcceptsResumed(this ILogger logger);

    [LoggerMessage(EventId = 2004, EventName = "ClocksDiffer", Level = LogLevel.Error,
        Message = "The clocks of the database and this machine differ by more than a request id made here may: updates without a request id are refused.")]
    public static partial void ClocksDiffer(this ILogger logger);

    [LoggerMessage(EventId = 2005, EventName = "GroupFailed", Level = LogLevel.Warning,
        Message = "Updates could not be committed together; committing them in smaller groups, so that only the update at fault fails.")]
    public static partial void GroupFailed(this ILogger logger, Exception exception);

    [LoggerMessage(EventId = 2010, EventName = "WatchFailed", Level = LogLevel.Warning,
        Message = "Published epochs cannot be followed; trying again.")]
    public static partial void WatchFailed(this ILogger logger, Exception exception);

    [LoggerMessage(EventId = 2011, EventName = "WatchingAgain", Level = LogLevel.Information,
        Message = "Following published epochs again.")]
    public static partial void WatchingAgain(this ILogger logger);

    [LoggerMessage(EventId = 2012, EventName = "StatusUnavailable", Level = LogLevel.Warning,
        Message = "A request's status could not be read.")]
    public static partial void StatusUnavailable(this ILogger logger, Exception exception);

    [LoggerMessage(EventId = 2020, EventName = "ReceiptKeysInvalid", Level = LogLevel.Error,
        Message = "The note that vouches for the receipt key changed and is refused; the previous note remains in effect.")]
    public static partial void ReceiptKeysInvalid(this ILogger logger, SecretsException exception);

    [LoggerMessage(EventId = 2021, EventName = "ReceiptsWithheld", Level = LogLevel.Warning,
        Message = "Updates are accepted, but no receipts are given. {Reason}")]
    public static partial void ReceiptsWithheld(this ILogger logger, string reason, Exception? exception);

    [LoggerMessage(EventId = 2022, EventName = "ReceiptsGiven", Level = LogLevel.Information, Message = "Receipts are given again.")]
    public static partial void ReceiptsGiven(this ILogger logger);

    [LoggerMessage(EventId = 2090, EventName = "Stopped", Level = LogLevel.Critical, Message = "The update-service is stopping.")]
    public static partial void Stopped(this ILogger logger, Exception exception);
}
