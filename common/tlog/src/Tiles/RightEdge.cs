using System.Numerics;

namespace Optiks.Tlog;

/// <summary>
/// Holds the partial tile of each level of a tree. These tiles are enough to compute the tree's root and to append leaves to the tree. Only
/// one thread at a time may use an instance. Invariant: for level l, the edge holds <c>PartialWidth(size, l)</c> hashes.
/// </summary>
internal sealed class RightEdge
{
    private readonly List<TreeHash>[] _levels;

    public RightEdge()
        : this(0, [.. Enumerable.Range(0, TileLayout.NumLevels).Select(_ => new List<TreeHash>())])
    {
    }

    private RightEdge(ulong size, List<TreeHash>[] levels)
    {
        Size = size;
        _levels = levels;
    }

    public ulong Size { get; private set; }

    /// <summary>Reads the edge of a tree of the given size. The caller must compare the edge's root with a trusted root.</summary>
    public static async Task<RightEdge> ReadAsync(ITileReader reader, ulong size, CancellationToken cancellationToken)
    {
        var levels = new List<TreeHash>[TileLayout.NumLevels];
        for (int level = 0; level < levels.Length; level++)
        {
            int width = TileLayout.PartialWidth(size, level);
            ulong index = TileLayout.NumHashes(size, level) / TilePath.FullWidth;
            levels[level] = width == 0
                ? []
                : [.. await TileFetch.HashesAsync(reader, TilePath.Hashes(level, index, width), cancellationToken).ConfigureAwait(false)];
        }
        return new RightEdge(size, levels);
    }

    public RightEdge Clone() => new(Size, [.. _levels.Select(level => new List<TreeHash>(level))]);

    public IReadOnlyList<TreeHash> Hashes(int level) => _levels[level];

    /// <summary>Appends a leaf, and passes each tile that becomes full to <paramref name="onFullTile"/>, the lowest level first.</summary>
    public void Append(TreeHash leafHash, Action<TilePath, IReadOnlyList<TreeHash>> onFullTile)
    {
        Size = checked(Size + 1);
        TreeHash hash = leafHash;
        for (int level = 0; ; level++)
        {
            List<TreeHash> hashes = _levels[level];
            hashes.Add(hash);
            if (hashes.Count < TilePath.FullWidth)
            {
                return;
            }
            TreeHash[] tile = [.. hashes];
            hashes.Clear();
            onFullTile(TilePath.Hashes(level, (TileLayout.NumHashes(Size, level) / TilePath.FullWidth) - 1), tile);
            hash = Rfc6962.CompleteRoot(tile);
        }
    }

    /// <summary>Returns the tree's root. Hashes the roots of the complete subtrees, beginning with the largest subtree of the highest
    /// level.</summary>
    public TreeHash Root()
    {
        var peaks = new List<TreeHash>();
        for (int level = _levels.Length - 1; level >= 0; level--)
        {
            TreeHash[] hashes = [.. _levels[level]];
            for (int start = 0; start < hashes.Length;)
            {
                int width = 1 << BitOperations.Log2((uint)(hashes.Length - start));
                peaks.Add(Rfc6962.CompleteRoot(hashes.AsSpan(start, width)));
                start += width;
            }
        }
        return CompactRange.FoldPeaks([.. peaks]);
    }
}
