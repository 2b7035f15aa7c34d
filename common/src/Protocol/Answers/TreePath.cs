namespace Optiks.Protocol;

/// <summary>Connects a node to the root (docs/spec/proofs.md section 1, where it is called Path).</summary>
/// <param name="Mask">32 bytes; bit i is set if an ancestor has prefix length i.</param>
/// <param name="Siblings">32 bytes each, deepest first.</param>
public sealed record TreePath(ReadOnlyMemory<byte> Mask, ReadOnlyMemory<byte> Siblings)
{
    /// <summary>Returns the prefix lengths of the ancestors, deepest first: the set bits of the mask.</summary>
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
