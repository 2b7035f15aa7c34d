using Optiks.Tlog;

namespace Optiks.QueryService.Following;

/// <summary>
/// LogView reads the log of one checkpoint from the board's tiles; whatever it gives was verified against the checkpoint. Any thread. Members throw
/// <see cref="BoardUnreadableException"/>.
/// </summary>
internal sealed class LogView
{
    private readonly ITileReader _board;
    private readonly TreeHash _root;

    public LogView(ITileReader board, ulong size, TreeHash root)
    {
        _board = board;
        Size = size;
        _root = root;
    }

    /// <summary>Size of the checkpoint.</summary>
    public ulong Size { get; }

    /// <summary>ReadRecordAsync reads the record of an epoch below <see cref="Size"/>.</summary>
    public async Task<ReadOnlyMemory<byte>> ReadRecordAsync(ulong epoch, CancellationToken cancellationToken)
    {
        try
        {
            return await new HashReader(_board, Size, _root).ReadEntryAsync(epoch, cancellationToken);
        }
        catch (Exception e) when (IsUnreadable(e))
        {
            throw Unreadable(e);
        }
    }

    /// <summary>ProveConsistencyAsync proves that this tree extends the one of a smaller size.</summary>
    public async Task<IReadOnlyList<TreeHash>> ProveConsistencyAsync(ulong oldSize, CancellationToken cancellationToken)
    {
        try
        {
            return await ConsistencyProof.MakeAsync(new HashReader(_board, Size, _root), oldSize, Size, cancellationToken);
        }
        catch (Exception e) when (IsUnreadable(e))
        {
            throw Unreadable(e);
        }
    }

    /// <summary>ReadRootAsync gives the root of the first entries, 1 to <see cref="Size"/> of them.</summary>
    public async Task<TreeHash> ReadRootAsync(ulong size, CancellationToken cancellationToken)
    {
        if (size == Size)
        {
            return _root;
        }
        try
        {
            return await ConsistencyProof.OldRootAsync(new HashReader(_board, Size, _root), size, cancellationToken);
        }
        catch (Exception e) when (IsUnreadable(e))
        {
            throw Unreadable(e);
        }
    }

    /// <summary>ProveInclusionAsync proves that the record of an epoch below <see cref="Size"/> is in this tree.</summary>
    public async Task<IReadOnlyList<TreeHash>> ProveInclusionAsync(ulong epoch, CancellationToken cancellationToken)
    {
        try
        {
            return await InclusionProof.MakeAsync(new HashReader(_board, Size, _root), epoch, Size, cancellationToken);
        }
        catch (Exception e) when (IsUnreadable(e))
        {
            throw Unreadable(e);
        }
    }

    private static bool IsUnreadable(Exception e) => e is InvalidTileException or IOException or UnauthorizedAccessException;

    private static BoardUnreadableException Unreadable(Exception e) => new($"The board's tiles cannot be used: {e.Message}", e);
}
