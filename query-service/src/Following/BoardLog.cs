using Optiks.ServiceDefaults;
using Optiks.Tlog;

namespace Optiks.QueryService.Following;

/// <summary>
/// Reads the log of one checkpoint from the board's tiles. Verifies everything that it returns against the checkpoint. Thread-safe. If the
/// board cannot be read, members throw <see cref="BoardUnreadableException"/>.
/// </summary>
internal sealed class BoardLog
{
    private readonly ITileReader _board;
    private readonly TreeHash _root;

    public BoardLog(ITileReader board, ulong size, TreeHash root)
    {
        _board = board;
        Size = size;
        _root = root;
    }

    /// <summary>The size of the checkpoint.</summary>
    public ulong Size { get; }

    /// <summary>Reads the record of an epoch below <see cref="Size"/>.</summary>
    public Task<ReadOnlyMemory<byte>> ReadRecordAsync(ulong epoch, CancellationToken cancellationToken) =>
        ReadAsync(tree => new ValueTask<ReadOnlyMemory<byte>>(tree.ReadEntryAsync(epoch, cancellationToken)));

    /// <summary>Returns a tile or an entry bundle; null if this checkpoint's tree has no tile with that place and width.</summary>
    public async Task<byte[]?> ReadTileAsync(TilePath path, CancellationToken cancellationToken)
    {
        TilePath? present = path.IsEntries ? TileLayout.Bundle(Size, path.Index) : TileLayout.HashTile(Size, path.Level, path.Index);
        return present is { } tile && tile.Width >= path.Width
            ? await ReadAsync(tree => RenderTileAsync(tree, path, cancellationToken))
            : null;
    }

    /// <summary>Returns the consistency proof from the log's earlier tree with <paramref name="oldSize"/> entries to this checkpoint's
    /// tree.</summary>
    public Task<IReadOnlyList<TreeHash>> ProveConsistencyAsync(ulong oldSize, CancellationToken cancellationToken) =>
        ReadAsync(tree => ConsistencyProof.MakeAsync(tree, oldSize, Size, cancellationToken));

    /// <summary>Returns the root of the tree over the log's first entries. The number of these entries (<paramref name="size"/>) must be at
    /// least 1 and at most the checkpoint's size.</summary>
    public Task<TreeHash> ReadRootAsync(ulong size, CancellationToken cancellationToken) =>
        size == Size ? Task.FromResult(_root) : ReadAsync(tree => ConsistencyProof.OldRootAsync(tree, size, cancellationToken));

    /// <summary>Returns the inclusion proof of an epoch's record in this checkpoint's tree. The epoch must be below
    /// <see cref="Size"/>.</summary>
    public Task<IReadOnlyList<TreeHash>> ProveInclusionAsync(ulong epoch, CancellationToken cancellationToken) =>
        ReadAsync(tree => InclusionProof.MakeAsync(tree, epoch, Size, cancellationToken));

    private static async ValueTask<byte[]> RenderTileAsync(HashReader tree, TilePath path, CancellationToken cancellationToken)
    {
        if (path.IsEntries)
        {
            IReadOnlyList<ReadOnlyMemory<byte>> entries = await tree.ReadBundleAsync(path.Index, cancellationToken);
            return [.. entries.Take(path.Width).SelectMany(entry => EntryBundle.EncodeEntry(entry.Span))];
        }
        TreeNode[] nodes = [.. Enumerable.Range(0, path.Width)
            .Select(i => new TreeNode(HashReader.LevelsOfTile * path.Level, (path.Index * TilePath.FullWidth) + (ulong)i))];
        return [.. (await tree.ReadHashesAsync(nodes, cancellationToken)).SelectMany(hash => hash.ToArray())];
    }

    private async Task<T> ReadAsync<T>(Func<HashReader, ValueTask<T>> read)
    {
        try
        {
            return await read(new HashReader(_board, Size, _root));
        }
        catch (Exception e) when (e is InvalidTileException or IOException or UnauthorizedAccessException)
        {
            if (e is InvalidTileException && _board is RemoteTiles cached)
            {
                // The verification failed, so the cache drops its tiles. Otherwise the next read would get the same wrong tile from the
                // cache.
                cached.Forget();
            }
            throw new BoardUnreadableException($"The board's tiles cannot be used: {e.Message}", e);
        }
    }
}
