using Microsoft.Extensions.Logging;

namespace Optiks.Auditor;

/// <summary>Defines the events in the auditor's own log messages. Their ids are 6000 to 6099.</summary>
internal static partial class AuditorLog
{
    [LoggerMessage(EventId = 6000, EventName = "Signed", Level = LogLevel.Information,
        Message = "{Log}: epochs {FirstEpoch} to {Epoch} are verified and signed.")]
    public static partial void Signed(this ILogger logger, string log, ulong firstEpoch, ulong epoch);

    [LoggerMessage(EventId = 6001, EventName = "Condition", Level = LogLevel.Warning, Message = "{Log} is {Condition}: {Description}")]
    public static partial void Changed(this ILogger logger, string log, string condition, string description);

    [LoggerMessage(EventId = 6002, EventName = "AnswerRefused", Level = LogLevel.Warning, Message = "{Log}: {Warning}")]
    public static partial void AnswerRefused(this ILogger logger, string log, string warning);

    [LoggerMessage(EventId = 6010, EventName = "Found", Level = LogLevel.Critical,
        Message = "{Log}: {Sentence} Nothing more is signed. Reason {Reason}; the evidence is in {Evidence}.")]
    public static partial void Found(this ILogger logger, string log, string sentence, string reason, string evidence);

    [LoggerMessage(EventId = 6011, EventName = "WebhookFailed", Level = LogLevel.Error,
        Message = "{Log}: the webhook did not take what was found, and is told again: {Problem}")]
    public static partial void WebhookFailed(this ILogger logger, string log, string problem);

    [LoggerMessage(EventId = 6012, EventName = "LookFailed", Level = LogLevel.Error,
        Message = "{Log}: a fault of the auditor ended this look, and the next one tries again. Other logs are not affected.")]
    public static partial void LookFailed(this ILogger logger, Exception exception, string log);

    [LoggerMessage(EventId = 6090, EventName = "Stopped", Level = LogLevel.Critical, Message = "The auditor ends.")]
    public static partial void Stopped(this ILogger logger, Exception exception);
}
