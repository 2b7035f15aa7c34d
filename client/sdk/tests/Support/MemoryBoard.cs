using Optiks.Tlog;

namespace Optiks.Client.Tests;

/// <summary>The entries of a log. Computes all tiles and proofs of the entries by plain recursion.</summary>
internal sealed class MemoryBoard : IHashReader
{
    private readonly List<byte[]> _entries;

    public MemoryBoard(IEnumerable<byte[]> entries)
    {
        _entries = [.. entries];
    }

    public ulong Size => (ulong)_entries.Count;

    public TreeHash Root => Range(0, _entries.Count);

    public void Append(byte[] entry) => _entries.Add(entry);

    public MemoryBoard Prefix(ulong size) => new(_entries.Take((int)size));

    public ValueTask<IReadOnlyList<TreeHash>> ReadHashesAsync(IReadOnlyList<TreeNode> nodes, CancellationToken cancellationToken) =>
        ValueTask.FromResult<IReadOnlyList<TreeHash>>([.. nodes.Select(node => Range((int)(node.Index << node.Level), 1 << node.Level))]);

    /// <summary>Returns the bytes of the tile or bundle at a path; null if this board has no file at the path.</summary>
    public byte[]? Tile(TilePath path)
    {
        long first = (long)path.Index * TilePath.FullWidth;
        if (path.IsEntries)
        {
            return first + path.Width > _entries.Count
                ? null
                : [.. Enumerable.Range((int)first, path.Width).SelectMany(i => EntryBundle.EncodeEntry(_entries[i]))];
        }
        int leaves = 1 << (8 * path.Level);
        return (first + path.Width) * leaves > _entries.Count
            ? null
            : [.. Enumerable.Range((int)first, path.Width).SelectMany(i => Range(i * leaves, leaves).ToArray())];
    }

    // Returns the hash of a range of entries (RFC 6962 section 2.1).
    private TreeHash Range(int first, int count)
    {
        if (count == 1)
        {
            return Rfc6962.LeafHash(_entries[first]);
        }
        int left = 1;
        while (left * 2 < count)
        {
            left *= 2;
        }
        return Rfc6962.NodeHash(Range(first, left), Range(first + left, count - left));
    }
}
