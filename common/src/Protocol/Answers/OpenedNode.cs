namespace Optiks.Protocol;

/// <summary>Holds the node that a non-membership proof opens: an interior node or a leaf.</summary>
/// <param name="Path">The path from the node to the root.</param>
public abstract record OpenedNode(TreePath Path)
{
    internal const byte Empty = 0;
    internal const byte InteriorNode = 1;
    internal const byte LeafNode = 2;

    /// <summary>Holds an opened interior node.</summary>
    /// <param name="Length">The length of the prefix in bits.</param>
    /// <param name="Prefix">The prefix, padded to 32 bytes.</param>
    /// <param name="Left">The left child's hash, 32 bytes.</param>
    /// <param name="Right">The right child's hash, 32 bytes.</param>
    /// <param name="Path">The path to the root.</param>
    public sealed record Interior(
        byte Length, ReadOnlyMemory<byte> Prefix, ReadOnlyMemory<byte> Left, ReadOnlyMemory<byte> Right, TreePath Path) : OpenedNode(Path);

    /// <summary>Holds an opened leaf, whose label is not the label that the proof shows as absent.</summary>
    /// <param name="Label">The leaf's label, 32 bytes.</param>
    /// <param name="Commitment">The leaf's commitment, 32 bytes.</param>
    /// <param name="Epoch">The leaf's epoch.</param>
    /// <param name="Path">The path to the root.</param>
    public sealed record Leaf(ReadOnlyMemory<byte> Label, ReadOnlyMemory<byte> Commitment, ulong Epoch, TreePath Path) : OpenedNode(Path);

    internal static OpenedNode? Decode(ref TlsReader reader)
    {
        switch (reader.UInt8("non_member.node"))
        {
            case Empty:
                return null;
            case InteriorNode:
                byte length = reader.UInt8("non_member.length");
                ReadOnlyMemory<byte> prefix = reader.Take(Lengths.Hash, "non_member.prefix");
                ReadOnlyMemory<byte> left = reader.Take(Lengths.Hash, "non_member.left");
                ReadOnlyMemory<byte> right = reader.Take(Lengths.Hash, "non_member.right");
                return new Interior(length, prefix, left, right, TreePath.Decode(ref reader));
            case LeafNode:
                ReadOnlyMemory<byte> label = reader.Take(Lengths.Hash, "non_member.label");
                ReadOnlyMemory<byte> commitment = reader.Take(Lengths.Hash, "non_member.commitment");
                ulong epoch = reader.UInt64("non_member.epoch");
                return new Leaf(label, commitment, epoch, TreePath.Decode(ref reader));
            default:
                throw new EncodingException(Reason.MalformedEnum, "non_member.node");
        }
    }
}
