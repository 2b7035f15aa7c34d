namespace Optiks.Protocol;

/// <summary>Holds a leaf that an append-only proof lists.</summary>
/// <param name="Label">The label, 32 bytes.</param>
/// <param name="Commitment">The commitment to the value, 32 bytes.</param>
/// <param name="Offset">The number from which the leaf's epoch is computed: for a proof from epoch a on, the epoch is a + 1 +
/// offset.</param>
public readonly record struct AddedLeaf(ReadOnlyMemory<byte> Label, ReadOnlyMemory<byte> Commitment, byte Offset)
{
    internal const int Length = Lengths.AddedLeaf;
}
