namespace Optiks.Protocol;

/// <summary>TreePath leads from a node to the root (docs/spec/proofs.md section 1); there it is called Path.</summary>
/// <param name="Mask">32 octets; bit i is set when an ancestor has prefix length i.</param>
/// <param name="Siblings">32 octets each, deepest first.</param>
public sealed record TreePath(ReadOnlyMemory<byte> Mask, ReadOnlyMemory<byte> Siblings)
{
    /// <summary>PrefixLengths of the ancestors, deepest first: the set bits of the mask.</summary>
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
