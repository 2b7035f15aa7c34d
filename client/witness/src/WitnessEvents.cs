using Microsoft.Extensions.Logging;

namespace Optiks.Witness;

/// <summary>Defines every event that a witness logs (7000 to 7099).</summary>
internal static partial class WitnessEvents
{
    [LoggerMessage(EventId = 7000, EventName = "WitnessStarted", Level = LogLevel.Information,
        Message = "Cosigning {Logs} logs as {Witness}.")]
    public static partial void WitnessStarted(this ILogger logger, int logs, string witness);

    [LoggerMessage(EventId = 7010, EventName = "ForkSeen", Level = LogLevel.Critical,
        Message = "{Origin} signed two trees of size {Size}: {Evidence} holds both checkpoints. The second was not cosigned.")]
    public static partial void ForkSeen(this ILogger logger, string origin, ulong size, string evidence);

    [LoggerMessage(EventId = 7011, EventName = "ClockWentBack", Level = LogLevel.Error,
        Message = "Nothing is cosigned of {Origin}: the clock says {Now}, the last cosignature {Last}.")]
    public static partial void ClockWentBack(this ILogger logger, string origin, ulong now, ulong last);

    [LoggerMessage(EventId = 7012, EventName = "NotStored", Level = LogLevel.Error,
        Message = "Nothing was cosigned: the state cannot be stored.")]
    public static partial void NotStored(this ILogger logger, Exception exception);

    [LoggerMessage(EventId = 7013, EventName = "NotSigned", Level = LogLevel.Error,
        Message = "Nothing was cosigned: the key cannot be used.")]
    public static partial void NotSigned(this ILogger logger, Exception exception);
}
