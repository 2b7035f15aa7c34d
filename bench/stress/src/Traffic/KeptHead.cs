using Optiks.Protocol;

namespace Optiks.Stress.Traffic;

/// <summary>A verified head with which later answers are compared. Immutable.</summary>
/// <param name="Size">Size of the checkpoint.</param>
/// <param name="Root">Its root, 32 octets.</param>
/// <param name="Record">A verified record.</param>
/// <param name="Epoch">The record's epoch.</param>
internal sealed record KeptHead(ulong Size, byte[] Root, byte[] Record, ulong Epoch)
{
    /// <summary>The period of the record.</summary>
    public ulong Period { get; } = EpochRecord.ReadPeriod(Record);
}
