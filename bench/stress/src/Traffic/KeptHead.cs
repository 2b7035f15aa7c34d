using Optiks.Protocol;

namespace Optiks.Stress.Traffic;

/// <summary>Holds a verified head, against which later answers are verified. Immutable.</summary>
/// <param name="Size">The size of the head's checkpoint.</param>
/// <param name="Root">The root of the head's checkpoint, 32 octets.</param>
/// <param name="Record">The verified record of the head.</param>
/// <param name="Epoch">The epoch of the record.</param>
internal sealed record KeptHead(ulong Size, byte[] Root, byte[] Record, ulong Epoch)
{
    /// <summary>The period of the record.</summary>
    public ulong Period { get; } = EpochRecord.ReadPeriod(Record);
}
