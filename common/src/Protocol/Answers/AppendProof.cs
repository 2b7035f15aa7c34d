namespace Optiks.Protocol;

/// <summary>Holds the proof that one structure's tree only grew (docs/spec/proofs.md section 5).</summary>
/// <param name="Leaves">The added leaves, in the order of their labels.</param>
/// <param name="Opened">The tokens that describe the opened parts of the old tree, in preorder.</param>
public sealed record AppendProof(IReadOnlyList<AddedLeaf> Leaves, ReadOnlyMemory<byte> Opened)
{
    internal static AppendProof Decode(ref TlsReader reader)
    {
        ReadOnlyMemory<byte> octets = reader.Vector(0, uint.MaxValue, "append_proof.leaves", AddedLeaf.Length);
        var leaves = new AddedLeaf[octets.Length / AddedLeaf.Length];
        for (int i = 0; i < leaves.Length; i++)
        {
            ReadOnlyMemory<byte> leaf = octets.Slice(i * AddedLeaf.Length, AddedLeaf.Length);
            leaves[i] = new AddedLeaf(leaf[..32], leaf[32..64], leaf.Span[64]);
        }
        return new AppendProof(leaves, reader.Vector(0, uint.MaxValue, "append_proof.opened"));
    }
}
