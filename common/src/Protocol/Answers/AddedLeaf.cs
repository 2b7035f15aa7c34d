namespace Optiks.Protocol;

/// <summary>Holds a leaf that an append-only proof lists.</summary>
/// <param name="Label">32 bytes.</param>
/// <param name="Commitment">32 bytes.</param>
/// <param name="Offset">The leaf's epoch is a + 1 + offset.</param>
public readonly record struct AddedLeaf(ReadOnlyMemory<byte> Label, ReadOnlyMemory<byte> Commitment, byte Offset)
{
    internal const int Length = Lengths.AddedLeaf;
}
