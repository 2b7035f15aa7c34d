namespace Optiks.Storage;

/// <summary>A committed epoch as the database stores it.</summary>
/// <param name="Epoch">Number of the epoch.</param>
/// <param name="Record">The record's bytes (docs/spec/records.md).</param>
/// <param name="RecordHash">Hash of the record, 32 bytes.</param>
/// <param name="Checkpoint">The signed checkpoint; empty until the log signs it.</param>
public sealed record EpochRow(ulong Epoch, ReadOnlyMemory<byte> Record, ReadOnlyMemory<byte> RecordHash, ReadOnlyMemory<byte> Checkpoint);
