using Optiks.ServiceDefaults;

namespace Optiks.UpdateService.Status;

/// <summary>
/// CheckpointReach is how far the board's checkpoint reaches, where this host can see the board: what is beyond it waits for witnesses, or is on its way to where it is read, and no replica serves it (docs/spec/board.md
/// section 3). Any thread.
/// </summary>
internal sealed class CheckpointReach
{
    private readonly BoardWatch _board;
    private ulong _size;

    public CheckpointReach(BoardWatch board) => _board = board;

    /// <summary>CoversAsync says whether the checkpoint reaches an epoch that the database calls published. True where this host sees no board; false while it cannot be read.</summary>
    public async Task<bool> CoversAsync(ulong epoch, CancellationToken cancellationToken)
    {
        if (epoch < Volatile.Read(ref _size) || !_board.IsSeen)
        {
            return true;
        }
        try
        {
            if (await _board.ReadAsync(cancellationToken) is { } checkpoint)
            {
                Volatile.Write(ref _size, checkpoint.Size);
                return epoch < checkpoint.Size;
            }
        }
        catch (BoardUnreadableException)
        {
            // Accepting is held up and says so (RollbackGuard).
        }
        return false;
    }
}
