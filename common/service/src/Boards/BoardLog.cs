using Microsoft.Extensions.Logging;
using Optiks.Tlog;

namespace Optiks.ServiceDefaults;

/// <summary>Defines the events that services log about a board that they read at a URL (9030 to 9039).</summary>
internal static partial class BoardLog
{
    [LoggerMessage(EventId = 9030, EventName = "BoardFollows", Level = LogLevel.Information,
        Message = "Following the board at {Url}, which has size {Size}.")]
    public static partial void BoardFollows(this ILogger logger, Uri url, ulong size);

    [LoggerMessage(EventId = 9031, EventName = "BoardFails", Level = LogLevel.Warning,
        Message = "The board at {Url} has given no newer checkpoint that can be accepted; trying again. {Reason}")]
    public static partial void BoardFails(this ILogger logger, Uri url, string reason, Exception? exception);

    [LoggerMessage(
        EventId = 9032, EventName = "BoardContradicts", Level = LogLevel.Critical,
        Message = "ALARM: the log signed two trees of size {Size}: one with root {Root}, which this service had first, and one with root {Other}, which {Url} has now. Keep both as evidence.")]
    public static partial void BoardContradicts(this ILogger logger, ulong size, TreeHash root, TreeHash other, Uri url);

    [LoggerMessage(EventId = 9039, EventName = "BoardStopped", Level = LogLevel.Critical, Message = "Following the board ended.")]
    public static partial void BoardStopped(this ILogger logger, Exception exception);
}
