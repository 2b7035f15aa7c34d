using System.Numerics;

namespace Optiks.Tlog;

/// <summary>
/// Reads a tree from untrusted tiles, and checks them against the size and root of a verified checkpoint. Every hash and entry that the
/// reader returns is proven to be in that tree. The reader checks that the right edge hashes to the root, and that each full tile hashes to
/// its hash in the tile above it. Throws <see cref="InvalidTileException"/> if one of these checks fails. An instance is for one
/// checkpoint. It keeps a fixed number of verified tiles (8 KiB each) and two neighbouring bundles, so its memory does not grow with the
/// tree. Only one thread at a time may use it.
/// </summary>
public sealed class HashReader : IHashReader
{
    /// <summary>
    /// The number of tree levels that a tile spans. The hashes in a tile of level l are the tree's nodes of level 8 * l.
    /// </summary>
    public const int LevelsOfTile = 8;

    // The number of verified tiles that the reader keeps. A proof, or a comparison of two trees (docs/spec/answers.md section 7), reads
    // fewer tiles than that.
    private const int MaxTiles = 64;

    private readonly ITileReader _tiles;
    private readonly TreeHash _root;
    private readonly Dictionary<(int Level, ulong Index), TreeHash[]> _verified = [];
    private readonly Queue<(int Level, ulong Index)> _inOrder = [];

    // The last two bundles that were read. A caller often reads consecutive ranges of entries, and the next range begins in the bundle in
    // which the last range ended.
    private readonly (ulong Index, IReadOnlyList<ReadOnlyMemory<byte>> Entries)?[] _bundles =
        new (ulong, IReadOnlyList<ReadOnlyMemory<byte>>)?[2];
    private RightEdge? _edge;

    /// <summary>
    /// Creates a reader of the tree that a checkpoint commits to. Throws if the size is 0 and the root is not the root of the empty tree.
    /// </summary>
    public HashReader(ITileReader tiles, ulong size, TreeHash root)
    {
        ArgumentNullException.ThrowIfNull(tiles);
        if (size == 0 && root != Rfc6962.EmptyRoot)
        {
            throw new ArgumentException("The root of an empty tree is SHA-256(\"\").", nameof(root));
        }
        _tiles = tiles;
        Size = size;
        _root = root;
    }

    /// <summary>The size of the tree.</summary>
    public ulong Size { get; }

    /// <inheritdoc/>
    public async ValueTask<IReadOnlyList<TreeHash>> ReadHashesAsync(IReadOnlyList<TreeNode> nodes, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(nodes);
        var result = new TreeHash[nodes.Count];
        for (int i = 0; i < result.Length; i++)
        {
            (int level, ulong index) = nodes[i];
            if (level is < 0 or > 63 || index >= Size >> level)
            {
                throw new ArgumentOutOfRangeException(nameof(nodes), nodes[i], "The tree holds no such complete subtree.");
            }

            // A node is the root of the subtree of 2^(level mod 8) neighbouring hashes in one tile.
            int width = 1 << (level % LevelsOfTile);
            ulong first = index * (ulong)width;
            TreeHash[] tile =
                await VerifiedTileAsync(level / LevelsOfTile, first / TilePath.FullWidth, cancellationToken).ConfigureAwait(false);
            result[i] = Rfc6962.CompleteRoot(tile.AsSpan((int)(first % TilePath.FullWidth), width));
        }
        return result;
    }

    /// <summary>Returns the entries of one bundle: up to 256 entries, from entry <paramref name="index"/> * 256 on. Each entry is proven to
    /// be in the tree.</summary>
    public async Task<IReadOnlyList<ReadOnlyMemory<byte>>> ReadBundleAsync(ulong index, CancellationToken cancellationToken)
    {
        TilePath path = TileLayout.Bundle(Size, index)
            ?? throw new ArgumentOutOfRangeException(nameof(index), index, "The tree holds no such bundle.");
        int slot = (int)(index % (ulong)_bundles.Length);
        if (_bundles[slot] is { } kept && kept.Index == index)
        {
            return kept.Entries;
        }
        TreeHash[] leaves = await VerifiedTileAsync(0, index, cancellationToken).ConfigureAwait(false);
        IReadOnlyList<ReadOnlyMemory<byte>> entries = await TileFetch.EntriesAsync(_tiles, path, cancellationToken).ConfigureAwait(false);
        for (int i = 0; i < entries.Count; i++)
        {
            if (Rfc6962.LeafHash(entries[i].Span) != leaves[i])
            {
                throw new InvalidTileException(path, TlogError.EntryMismatch);
            }
        }
        _bundles[slot] = (index, entries);
        return entries;
    }

    /// <summary>Returns the entry with this index. The entry is proven to be in the tree at this index.</summary>
    public async Task<ReadOnlyMemory<byte>> ReadEntryAsync(ulong index, CancellationToken cancellationToken)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual(index, Size);
        IReadOnlyList<ReadOnlyMemory<byte>> bundle =
            await ReadBundleAsync(index / TilePath.FullWidth, cancellationToken).ConfigureAwait(false);
        return bundle[(int)(index % TilePath.FullWidth)];
    }

    /// <summary>Returns the tree's right edge, whose hash is proven to be the root. The caller must not change it.</summary>
    internal async Task<RightEdge> EdgeAsync(CancellationToken cancellationToken)
    {
        if (_edge is null)
        {
            RightEdge edge = await RightEdge.ReadAsync(_tiles, Size, cancellationToken).ConfigureAwait(false);
            if (edge.Root() != _root)
            {
                // The reader cannot know which tile of the edge is wrong, so the exception names the topmost tile.
                int top = BitOperations.Log2(Size) / LevelsOfTile;
                throw new InvalidTileException(TilePath.Hashes(top, 0, TileLayout.PartialWidth(Size, top)), TlogError.TileMismatch);
            }
            _edge = edge;
        }
        return _edge;
    }

    // Verifies a full tile with the tile above it. The recursion ends at level 7 at the latest: a full tile there would need 256^8 leaves,
    // which is more than the largest size.
    private async Task<TreeHash[]> VerifiedTileAsync(int level, ulong index, CancellationToken cancellationToken)
    {
        if (_verified.TryGetValue((level, index), out TreeHash[]? known))
        {
            return known;
        }
        RightEdge edge = await EdgeAsync(cancellationToken).ConfigureAwait(false);
        TilePath path = TileLayout.HashTile(Size, level, index)
            ?? throw new ArgumentOutOfRangeException(nameof(index), index, "The tree holds no such tile.");
        TreeHash[] hashes;
        if (path.IsFull)
        {
            hashes = await TileFetch.HashesAsync(_tiles, path, cancellationToken).ConfigureAwait(false);
            TreeHash[] parent = await VerifiedTileAsync(level + 1, index / TilePath.FullWidth, cancellationToken).ConfigureAwait(false);
            if (Rfc6962.CompleteRoot(hashes) != parent[(int)(index % TilePath.FullWidth)])
            {
                throw new InvalidTileException(path, TlogError.TileMismatch);
            }
        }
        else
        {
            hashes = [.. edge.Hashes(level)];
        }
        if (_inOrder.Count == MaxTiles)
        {
            _ = _verified.Remove(_inOrder.Dequeue());
        }
        _verified.Add((level, index), hashes);
        _inOrder.Enqueue((level, index));
        return hashes;
    }
}
