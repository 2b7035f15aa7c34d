namespace Optiks.Native;

/// <summary>Holds the contents of a head that the verifier accepted.</summary>
/// <param name="Epoch">The epoch of the record.</param>
/// <param name="Period">The record's period.</param>
/// <param name="PeriodFirstEpoch">The period's first epoch.</param>
/// <param name="TimeMs">The time of the record, in Unix milliseconds.</param>
/// <param name="Size">The size of the checkpoint to which the head ties the record.</param>
/// <param name="Root">The root of that checkpoint, 32 bytes.</param>
/// <param name="Record">The place of the record in the answer.</param>
/// <param name="Checkpoint">The place of the checkpoint in the answer; empty if the head refers to the checkpoint that the client
/// keeps.</param>
public sealed record VerifiedHead(
    ulong Epoch, ulong Period, ulong PeriodFirstEpoch, ulong TimeMs, ulong Size, ReadOnlyMemory<byte> Root, Range Record, Range Checkpoint);
