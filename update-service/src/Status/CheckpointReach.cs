using Optiks.Tlog;

namespace Optiks.UpdateService.Status;

/// <summary>
/// CheckpointReach is how far the board's checkpoint reaches, where this host can see the board: what is beyond it waits for witnesses, and no replica serves it (docs/spec/board.md section 3). The signature is not checked: who
/// can write that folder can hold up updates in other ways too. Any thread.
/// </summary>
internal sealed class CheckpointReach
{
    private readonly string _log;
    private readonly DirectoryTileReader _board;
    private ulong _size;

    public CheckpointReach(DataFolder folder)
    {
        _log = Path.Combine(folder.Board, "log");
        _board = new DirectoryTileReader(_log);
    }

    /// <summary>CoversAsync says whether the checkpoint reaches an epoch that the database calls published. True where this host sees no board; false while it cannot be read.</summary>
    public async Task<bool> CoversAsync(ulong epoch, CancellationToken cancellationToken)
    {
        if (epoch < Volatile.Read(ref _size) || !Directory.Exists(_log))
        {
            return true;
        }
        try
        {
            if (await _board.ReadCheckpointAsync(cancellationToken) is { } octets
                && SignedNote.TryParse(octets, out SignedNote? note, out _) && Checkpoint.TryParse(note.Text.Span, out Checkpoint? checkpoint, out _))
            {
                Volatile.Write(ref _size, checkpoint.Size);
                return epoch < checkpoint.Size;
            }
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // Accepting is held up and says so (RollbackGuard).
        }
        return false;
    }
}
