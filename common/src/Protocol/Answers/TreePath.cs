namespace Optiks.Protocol;

/// <summary>Holds the path from a node to the root (docs/spec/proofs.md section 1, where the structure is called Path).</summary>
/// <param name="Mask">The mask, 32 bytes; bit i is set if an ancestor of the node has prefix length i.</param>
/// <param name="Siblings">The siblings' hashes, 32 bytes each, the deepest sibling first.</param>
public sealed record TreePath(ReadOnlyMemory<byte> Mask, ReadOnlyMemory<byte> Siblings)
{
    /// <summary>
    /// Returns the prefix lengths of the ancestors, the deepest ancestor first. They are the numbers of the mask's set bits.
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
