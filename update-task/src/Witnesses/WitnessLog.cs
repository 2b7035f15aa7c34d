namespace Optiks.UpdateTask.Witnesses;

/// <summary>Defines the log events about witnesses. Their event ids are in the range 3050 to 3059.</summary>
internal static partial class WitnessLog
{
    [LoggerMessage(EventId = 3050, EventName = "WitnessCosigns", Level = LogLevel.Information, Message = "{Witness} cosigns.")]
    public static partial void WitnessCosigns(this ILogger logger, string witness);

    [LoggerMessage(EventId = 3051, EventName = "WitnessFails", Level = LogLevel.Warning, Message = "{Witness} does not cosign: {Detail}")]
    public static partial void WitnessFails(this ILogger logger, string witness, string detail);

    [LoggerMessage(EventId = 3052, EventName = "WitnessAhead", Level = LogLevel.Critical,
        Message = "{Witness} has a larger checkpoint of this log than the log itself: the log was rolled back, or the witness lies. {Detail}")]
    public static partial void WitnessAhead(this ILogger logger, string witness, string detail);

    [LoggerMessage(EventId = 3054, EventName = "WitnessWentBack", Level = LogLevel.Error,
        Message = "{Witness} forgot a checkpoint that it had cosigned: an older copy of its state was put back. Tell its operator.")]
    public static partial void WitnessWentBack(this ILogger logger, string witness);

    [LoggerMessage(EventId = 3055, EventName = "QuorumMissing", Level = LogLevel.Error,
        Message = "The checkpoint of size {Size} is not published: too few witnesses cosign it. Epochs are still made, but are not served.")]
    public static partial void QuorumMissing(this ILogger logger, ulong size);

    [LoggerMessage(EventId = 3056, EventName = "QuorumMet", Level = LogLevel.Information,
        Message = "Enough witnesses cosign again: the checkpoint of size {Size} is published.")]
    public static partial void QuorumMet(this ILogger logger, ulong size);

    [LoggerMessage(EventId = 3053, EventName = "CosignedNotWritten", Level = LogLevel.Error,
        Message = "The cosigned checkpoint could not be read or written; trying again with the next.")]
    public static partial void CosignedNotWritten(this ILogger logger, Exception exception);
}
