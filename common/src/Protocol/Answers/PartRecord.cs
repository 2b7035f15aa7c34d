namespace Optiks.Protocol;

/// <summary>Holds the record of the epoch to which a part of an answer belongs (docs/spec/users.md section 1).</summary>
/// <param name="Record">The encoded EpochRecord.</param>
/// <param name="Inclusion">The proof that the log of the head's checkpoint includes the record.</param>
public sealed record PartRecord(ReadOnlyMemory<byte> Record, ReadOnlyMemory<byte> Inclusion)
{
    private const uint MaxInclusionLength = 2016;

    internal static PartRecord Decode(ref TlsReader reader) =>
        new(reader.Take(EpochRecord.Length, "part.record"), reader.Vector(0, MaxInclusionLength, "part.inclusion", Lengths.Hash));
}
