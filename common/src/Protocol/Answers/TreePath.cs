namespace Optiks.Protocol;

/// <summary>Holds the path from a node to the root (docs/spec/proofs.md section 1, where the structure is called Path).</summary>
/// <param name="Mask">The mask of 32 bytes, in which bit i is set if an ancestor of the node has a prefix of i bits.</param>
/// <param name="Siblings">The siblings' hashes, 32 bytes each, the deepest sibling first.</param>
public sealed record TreePath(ReadOnlyMemory<byte> Mask, ReadOnlyMemory<byte> Siblings)
{
    /// <summary>
    /// Returns the lengths of the ancestors' prefixes in bits, the deepest ancestor first. These lengths are the indexes of the bits that
    /// are set in the mask.
    /// </summary>
    public IReadOnlyList<int> PrefixLengths()
    {
        var lengths = new List<int>();
        for (int i = (Mask.Length * 8) - 1; i >= 0; i--)
        {
            if ((Mask.Span[i / 8] & (1 << (7 - (i % 8)))) != 0)
            {
                lengths.Add(i);
            }
        }
        return lengths;
    }

    internal static TreePath Decode(ref TlsReader reader) =>
        new(reader.Take(Lengths.Hash, "path.mask"), reader.Vector(0, Lengths.MaxSiblings, "path.siblings", Lengths.Hash));
}
