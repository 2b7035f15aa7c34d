using Optiks.Native;
using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.QueryService.Following;

/// <summary>
/// BoardReach is how far the board's checkpoint reaches: nothing beyond it is served (docs/spec/board.md section 3). It is behind the database's published epoch only while it waits for witnesses. The follower's alone, save
/// <see cref="Awaited"/>.
/// </summary>
internal sealed class BoardReach
{
    private readonly ITileReader _board;
    private byte[] _note = [];
    private ulong _size;
    private long _awaited = -1;

    public BoardReach(BoardFolder board) => _board = board.Tiles;

    /// <summary>Awaited is the last published epoch while it is beyond the checkpoint; null when none is. Any thread.</summary>
    public ulong? Awaited => Interlocked.Read(ref _awaited) is >= 0 and long awaited ? (ulong)awaited : null;

    /// <summary>FindAsync gives the last epoch that may be served, at most the published one. Null: the board has no checkpoint yet. Throws <see cref="BoardUnreadableException"/>.</summary>
    /// <param name="anchor">The log's.</param>
    /// <param name="published">The database's published epoch.</param>
    /// <param name="cancellationToken">Ends the reading.</param>
    public async Task<ulong?> FindAsync(TrustAnchor anchor, ulong published, CancellationToken cancellationToken)
    {
        byte[]? note;
        try
        {
            note = await _board.ReadCheckpointAsync(cancellationToken);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new BoardUnreadableException("The board's checkpoint cannot be read.", e);
        }
        if (note is null)
        {
            _ = Interlocked.Exchange(ref _awaited, (long)published);
            return null;
        }
        if (!note.AsSpan().SequenceEqual(_note))
        {
            Reason reason = Verifier.Checkpoint(anchor, note, out ulong size, out _);
            if (reason != Reason.Valid)
            {
                throw new BoardUnreadableException($"The board's checkpoint is not this log's ({reason.Name()}).");
            }
            (_note, _size) = (note, size);
        }
        _ = Interlocked.Exchange(ref _awaited, _size <= published ? (long)published : -1);
        return Math.Min(published, _size - 1);
    }
}
