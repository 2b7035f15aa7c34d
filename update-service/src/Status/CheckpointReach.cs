using Optiks.ServiceDefaults;

namespace Optiks.UpdateService.Status;

/// <summary>
/// Determines how far the board's checkpoint reaches, if this host can read the board. Epochs beyond the checkpoint wait for witnesses, or
/// have not yet arrived at the place where this host reads the board. No replica serves them (docs/spec/board.md section 3). Thread-safe.
/// </summary>
internal sealed class CheckpointReach
{
    private readonly BoardWatch _board;
    private ulong _size;

    public CheckpointReach(BoardWatch board) => _board = board;

    /// <summary>
    /// Returns whether the checkpoint covers an epoch that is published in the database. Returns true if this host has no board, and false
    /// while the board cannot be read.
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
            // While the board cannot be read, the service accepts no updates, and RollbackGuard reports the problem.
        }
        return false;
    }
}
