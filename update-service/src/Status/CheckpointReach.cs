using Optiks.ServiceDefaults;

namespace Optiks.UpdateService.Status;

/// <summary>
/// Determines which epochs the board's checkpoint covers, if this host can read the board. Later epochs wait for witnesses, or their
/// checkpoint has not yet arrived at the place where this host reads the board. No query-service serves such epochs (docs/spec/board.md
/// section 3). Thread-safe.
/// </summary>
internal sealed class CheckpointReach
{
    private readonly BoardWatch _board;
    private ulong _size;

    public CheckpointReach(BoardWatch board) => _board = board;

    /// <summary>
    /// Returns whether the checkpoint covers an epoch that is published in the database. If this host has no board, returns true; while the
    /// board cannot be read, returns false.
    /// </summary>
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
            // Nothing is logged here, because the service accepts no updates while the board cannot be read, and RollbackGuard reports the
            // problem.
        }
        return false;
    }
}
