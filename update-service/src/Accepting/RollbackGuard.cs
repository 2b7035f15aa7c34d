using Optiks.Storage;
using Optiks.Tlog;
using Optiks.UpdateService.Telemetry;

namespace Optiks.UpdateService.Accepting;

/// <summary>
/// RollbackGuard compares the database with the board, where this host can see the board's folder. A database whose head is below the high-water mark or the published checkpoint, or
/// that has another record at the mark, is an older copy (a restored backup, a failover that lost commits). What it accepted would be lost when the newest copy is put back, so
/// nothing is accepted meanwhile.
/// </summary>
/// <remarks>Where the folder is on another machine there is nothing to compare, and the update-task's own check, which ends it with exit code 4, has to do.</remarks>
internal sealed class RollbackGuard
{
    private readonly IAcceptStore _store;
    private readonly string _highWater;
    private readonly DirectoryTileReader _log;
    private readonly ILogger<RollbackGuard> _logger;
    private string? _reported;

    public RollbackGuard(IAcceptStore store, DataFolder folder, ILogger<RollbackGuard> logger)
    {
        _store = store;
        _highWater = HighWaterMark.PathIn(folder);
        _log = new DirectoryTileReader(Path.Combine(folder.Board, "log"));
        _logger = logger;
    }

    /// <summary>CheckAsync gives null when the database may take updates, or a sentence for the operator. Any thread.</summary>
    public async Task<string?> CheckAsync(CancellationToken cancellationToken)
    {
        string? problem = await FindAsync(cancellationToken);
        if (Interlocked.Exchange(ref _reported, problem) != problem)
        {
            if (problem is null)
            {
                _logger.AcceptsResumed();
            }
            else
            {
                _logger.AcceptsHeld(problem);
            }
        }
        return problem;
    }

    private async Task<string?> FindAsync(CancellationToken cancellationToken)
    {
        // The board first: the task commits an epoch before it raises the mark, so a head read later is never below a healthy board.
        HighWaterMark? mark;
        ulong? size;
        try
        {
            mark = ReadMark();
            size = await ReadCheckpointSizeAsync(cancellationToken);
        }
        catch (Exception e) when (e is InvalidDataException or IOException or UnauthorizedAccessException)
        {
            return $"The board cannot be read: {e.Message}";
        }
        if (mark is null && size is null)
        {
            return null;
        }
        Head head = await _store.ReadHeadAsync(cancellationToken);
        // Before genesis an epoch -1 would be the last one: compared as the number of epochs.
        ulong epochs = head.Epoch is { } epoch ? epoch + 1 : 0;
        if (mark is not null && mark.Epoch >= epochs)
        {
            return $"The database ends before epoch {mark.Epoch}, which the high-water mark names: it is an older copy.";
        }
        if (mark is not null && mark.Epoch == head.Epoch && !mark.Names(mark.Epoch, head.RecordHash.Span))
        {
            return $"The database has another record for epoch {mark.Epoch} than the high-water mark names.";
        }
        return size > epochs ? $"The database has {epochs} epochs, the board's checkpoint {size}: the database is an older copy." : null;
    }

    private HighWaterMark? ReadMark()
    {
        try
        {
            return HighWaterMark.Read(_highWater);
        }
        catch (UnauthorizedAccessException)
        {
            // The board's state may be the task's user's alone. The checkpoint, which anyone may read, is at most one epoch below.
            return null;
        }
    }

    private async Task<ulong?> ReadCheckpointSizeAsync(CancellationToken cancellationToken)
    {
        byte[]? octets = await _log.ReadCheckpointAsync(cancellationToken);
        if (octets is null)
        {
            return null;
        }
        // The signature is not checked: who can write this folder can hold up updates in other ways too.
        return SignedNote.TryParse(octets, out SignedNote? note, out TlogError error) && Checkpoint.TryParse(note.Text.Span, out Checkpoint? checkpoint, out error)
            ? checkpoint.Size
            : throw new InvalidDataException($"Its checkpoint is not one ({error}).");
    }
}
