using Optiks.Protocol;

namespace Optiks.Stress.Traffic;

/// <summary>A verified head with which later answers are compared. Immutable.</summary>
/// <param name="Size">Size of the checkpoint.</param>
/// <param name="Root">Root of the checkpoint, 32 octets.</param>
/// <param name="Record">Verified record of the head.</param>
/// <param name="Epoch">Epoch of the record.</param>
internal sealed record KeptHead(ulong Size, byte[] Root, byte[] Record, ulong Epoch)
{
    /// <summary>The period of the record.</summary>
    public ulong Period { get; } = EpochRecord.ReadPeriod(Record);
}
