namespace Optiks.Native;

/// <summary>VerifiedHead is a head that was accepted.</summary>
/// <param name="Epoch">Epoch of the record.</param>
/// <param name="Period">Its period.</param>
/// <param name="PeriodFirstEpoch">The period's first epoch.</param>
/// <param name="TimeMs">Time of the record, Unix milliseconds.</param>
/// <param name="Size">Size of the checkpoint that was used.</param>
/// <param name="Root">Its root, 32 octets.</param>
/// <param name="Record">Where the record stands in the answer.</param>
/// <param name="Checkpoint">Where the checkpoint stands in the answer; empty when the kept one was used.</param>
public sealed record VerifiedHead(
    ulong Epoch, ulong Period, ulong PeriodFirstEpoch, ulong TimeMs, ulong Size, ReadOnlyMemory<byte> Root, Range Record, Range Checkpoint);
