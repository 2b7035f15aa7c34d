namespace Optiks.Client;

/// <summary>HeadInfo says which state of the log an answer was verified against.</summary>
/// <param name="Epoch">Epoch of the record.</param>
/// <param name="Period">Its period.</param>
/// <param name="Time">Time of the record.</param>
/// <param name="CheckpointSize">Entries of the log that the signed checkpoint covers.</param>
public sealed record HeadInfo(ulong Epoch, ulong Period, DateTimeOffset Time, ulong CheckpointSize);
