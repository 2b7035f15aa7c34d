using Optiks.Storage;
using Optiks.Tlog;
using Optiks.UpdateService.Telemetry;

namespace Optiks.UpdateService.Accepting;

/// <summary>
/// RollbackGuard knows from the board, where this host can see the board's folder, how far the database must be. A database whose head is below the high-water mark or the published
/// checkpoint, or that has another record at the mark, is an older copy (a restored backup, a failover that lost commits). What it accepted would be lost when the newest copy is put
/// back, so nothing is accepted meanwhile. Any thread.
/// </summary>
/// <remarks>Where the folder is on another machine there is nothing to compare, and the update-task's own check, which ends it with exit code 4, has to do.</remarks>
internal sealed class RollbackGuard
{
    private readonly IAcceptStore _store;
    private readonly string _board;
    private readonly string _highWater;
    private readonly string _checkpoint;
    private readonly ILogger<RollbackGuard> _logger;
    private Seen? _seen;
    private string? _reported;

    public RollbackGuard(IAcceptStore store, DataFolder folder, UpdateMetrics metrics, ILogger<RollbackGuard> logger)
    {
        metrics.ObserveGuard(() => Volatile.Read(ref _reported) is not null);
        _store = store;
        _board = folder.Board;
        _highWater = HighWaterMark.PathIn(folder);
        _checkpoint = Path.Combine(folder.Board, "log", "checkpoint");
        _logger = logger;
    }

    /// <summary>
    /// AcceptAsync gives units to the store. Null: the database does not come up to the board, or the board cannot be read; nothing was stored then, and it is reported. A database read after the board is
    /// never below a healthy one: the task commits an epoch before it raises the mark.
    /// </summary>
    public async Task<IReadOnlyList<AcceptResult>?> AcceptAsync(IReadOnlyList<AcceptUnit> units)
    {
        HeadFloor? floor = Read(out string? problem);
        if (floor is null)
        {
            Report(problem);
            return null;
        }
        IReadOnlyList<AcceptResult> results = await _store.AcceptAsync(units, floor, CancellationToken.None);
        if (results[0].Status == AcceptStatus.OlderCopy)
        {
            _ = await CheckAsync(CancellationToken.None);
            return null;
        }
        Report(null);
        return results;
    }

    /// <summary>CheckAsync gives null when the database may take updates, or a sentence for the operator.</summary>
    public async Task<string?> CheckAsync(CancellationToken cancellationToken)
    {
        HeadFloor? floor = Read(out string? problem);
        if (floor is { Epochs: > 0 })
        {
            problem = Compare(floor, await _store.ReadHeadAsync(cancellationToken));
        }
        Report(problem);
        return problem;
    }

    private static string? Compare(HeadFloor floor, HeadRow head)
    {
        ulong epochs = head.Epoch is { } epoch ? epoch + 1 : 0;
        return floor.IsMetBy(head) ? null
            : epochs < floor.Epochs ? $"The database has {epochs} epochs, the board {floor.Epochs}: the database is an older copy."
            : $"The database has another record for epoch {floor.Epoch} than the high-water mark names.";
    }

    private void Report(string? problem)
    {
        if (Volatile.Read(ref _reported) == problem || Interlocked.Exchange(ref _reported, problem) == problem)
        {
            return;
        }
        if (problem is null)
        {
            _logger.AcceptsResumed();
        }
        else
        {
            _logger.AcceptsHeld(problem);
        }
    }

    // Read for every group: a rollback between two commits must not let the second one through. Parsed only when changed.
    private HeadFloor? Read(out string? problem)
    {
        problem = null;
        if (!Directory.Exists(_board))
        {
            return HeadFloor.None;
        }
        try
        {
            byte[]? mark = ReadMark();
            byte[]? checkpoint = ReadFile(_checkpoint);
            Seen? seen = Volatile.Read(ref _seen);
            if (seen is null || !Same(seen.Mark, mark) || !Same(seen.Checkpoint, checkpoint))
            {
                seen = new Seen(mark, checkpoint, Parse(mark, checkpoint));
                Volatile.Write(ref _seen, seen);
            }
            return seen.Floor;
        }
        catch (Exception e) when (e is InvalidDataException or IOException or UnauthorizedAccessException)
        {
            problem = $"The board cannot be read: {e.Message}";
            return null;
        }
    }

    private byte[]? ReadMark()
    {
        try
        {
            return ReadFile(_highWater);
        }
        catch (UnauthorizedAccessException)
        {
            // The board's state may be the task's user's alone. The checkpoint, which anyone may read, is at most one epoch below.
            return null;
        }
    }

    private static byte[]? ReadFile(string path)
    {
        // Not File.Exists: it says no of a file that may not be read.
        try
        {
            return File.ReadAllBytes(path);
        }
        catch (Exception e) when (e is FileNotFoundException or DirectoryNotFoundException)
        {
            return null;
        }
    }

    private static bool Same(byte[]? one, byte[]? other) => one is null ? other is null : other is not null && one.AsSpan().SequenceEqual(other);

    private HeadFloor Parse(byte[]? markFile, byte[]? checkpointFile)
    {
        HighWaterMark? mark = markFile is null ? null : HighWaterMark.Parse(markFile, _highWater);
        ulong epochs = mark is null ? 0 : mark.Epoch + 1;
        if (checkpointFile is not null)
        {
            // The signature is not checked: who can write this folder can hold up updates in other ways too.
            epochs = SignedNote.TryParse(checkpointFile, out SignedNote? note, out TlogError error) && Checkpoint.TryParse(note.Text.Span, out Checkpoint? checkpoint, out error)
                ? Math.Max(epochs, checkpoint.Size)
                : throw new InvalidDataException($"Its checkpoint is not one ({error}).");
        }
        return new HeadFloor(epochs, mark?.Epoch, mark?.RecordHash ?? default);
    }

    private sealed record Seen(byte[]? Mark, byte[]? Checkpoint, HeadFloor Floor);
}
