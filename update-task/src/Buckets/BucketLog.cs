namespace Optiks.UpdateTask.Buckets;

/// <summary>Defines the log events about the bucket. Their event ids are in the range 3060 to 3069.</summary>
internal static partial class BucketLog
{
    [LoggerMessage(EventId = 3060, EventName = "BucketFollows", Level = LogLevel.Information,
        Message = "The bucket has the board up to size {Size}.")]
    public static partial void BucketFollows(this ILogger logger, ulong size);

    [LoggerMessage(EventId = 3061, EventName = "BucketFails", Level = LogLevel.Error,
        Message = "The bucket is behind; trying again. {Detail}")]
    public static partial void BucketFails(this ILogger logger, string detail, Exception exception);

    [LoggerMessage(EventId = 3062, EventName = "BucketConflicts", Level = LogLevel.Critical,
        Message = "Nothing is written to the bucket. {Detail}")]
    public static partial void BucketConflicts(this ILogger logger, string detail);
}
