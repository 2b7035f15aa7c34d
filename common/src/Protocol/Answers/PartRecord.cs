namespace Optiks.Protocol;

/// <summary>PartRecord is the record of an epoch that a part of an answer is of (docs/spec/users.md section 1).</summary>
/// <param name="Record">EpochRecord, encoded.</param>
/// <param name="Inclusion">Inclusion proof in the tree of the head's checkpoint.</param>
public sealed record PartRecord(ReadOnlyMemory<byte> Record, ReadOnlyMemory<byte> Inclusion)
{
    private const uint MaxInclusionLength = 2016;

    internal static PartRecord Decode(ref TlsReader reader) =>
        new(reader.Take(EpochRecord.Length, "part.record"), reader.Vector(0, MaxInclusionLength, "part.inclusion", Lengths.Hash));
}
