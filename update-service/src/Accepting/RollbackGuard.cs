using Optiks.ServiceDefaults;
using Optiks.Storage;
using Optiks.UpdateService.Telemetry;

namespace Optiks.UpdateService.Accepting;

/// <summary>
/// Prevents the service from accepting updates into an older copy of the database. A database is an older copy after a restored backup, or
/// after a failover that lost commits. If this host can read the board, the guard detects this: the database's head is below the high-water
/// mark or the published checkpoint, or the database has another record at the mark. Updates that an older copy accepted would be lost when
/// the newest copy is restored, so the service accepts no updates until then. Thread-safe.
/// </summary>
/// <remarks>
/// A board at a URL has no mark, so the guard compares the database only with the checkpoint, which is one or a few epochs below the mark.
/// If neither a board's folder nor its URL is configured, the guard cannot compare anything. Then only the update-task's own check protects
/// the log: that check ends the task with exit code 4.
/// </remarks>
internal sealed class RollbackGuard
{
    private readonly IAcceptStore _store;
    private readonly BoardWatch _board;
    private readonly string _folder;
    private readonly string _highWater;
    private readonly ILogger<RollbackGuard> _logger;
    private Seen? _seen;
    private string? _reported;

    public RollbackGuard(IAcceptStore store, DataFolder folder, BoardWatch board, UpdateMetrics metrics, ILogger<RollbackGuard> logger)
    {
        metrics.ObserveGuard(() => Volatile.Read(ref _reported) is not null);
        _store = store;
        _board = board;
        _folder = folder.Board;
        _highWater = HighWaterMark.PathIn(folder);
        _logger = logger;
    }

    /// <summary>
    /// Passes units to the store. If the database is behind the board, or the board cannot be read, stores nothing, reports the problem and
    /// returns null. A healthy database is never below the board here, because the guard reads the board before the database, and the
    /// update-task commits an epoch before it raises the mark.
    /// </summary>
    public async Task<IReadOnlyList<AcceptResult>?> AcceptAsync(IReadOnlyList<AcceptUnit> units)
    {
        (HeadFloor? floor, string? problem) = await ReadAsync(CancellationToken.None);
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

    /// <summary>Returns null if the database may accept updates; otherwise a sentence for the operator that says why not.</summary>
    public async Task<string?> CheckAsync(CancellationToken cancellationToken)
    {
        (HeadFloor? floor, string? problem) = await ReadAsync(cancellationToken);
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

    // This method reads the board for every group, so that after a rollback between two commits the second commit is refused. It parses the
    // files only if they have changed.
    private async Task<(HeadFloor? Floor, string? Problem)> ReadAsync(CancellationToken cancellationToken)
    {
        if (!_board.IsRemote && !Directory.Exists(_folder))
        {
            return (HeadFloor.None, null);
        }
        try
        {
            byte[]? mark = _board.IsRemote ? null : ReadMark();
            ulong size = (await _board.ReadAsync(cancellationToken))?.Size ?? 0;
            Seen? seen = Volatile.Read(ref _seen);
            if (seen is null || !Same(seen.Mark, mark) || seen.Size != size)
            {
                seen = new Seen(mark, size, Parse(mark, size));
                Volatile.Write(ref _seen, seen);
            }
            return (seen.Floor, null);
        }
        catch (BoardUnreadableException e)
        {
            return (null, e.Message);
        }
        catch (Exception e) when (e is InvalidDataException or IOException or UnauthorizedAccessException)
        {
            return (null, $"The board cannot be read: {e.Message}");
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
            // The service's user may not read the mark, which may be readable only for the update-task's user. The checkpoint, which anyone
            // may read, is at most one epoch below the mark.
            return null;
        }
    }

    private static byte[]? ReadFile(string path)
    {
        // This code does not use File.Exists, because that returns false for a file that the service's user may not read.
        try
        {
            return File.ReadAllBytes(path);
        }
        catch (Exception e) when (e is FileNotFoundException or DirectoryNotFoundException)
        {
            return null;
        }
    }

    private static bool Same(byte[]? one, byte[]? other) =>
        one is null ? other is null : other is not null && one.AsSpan().SequenceEqual(other);

    private HeadFloor Parse(byte[]? markFile, ulong size)
    {
        HighWaterMark? mark = markFile is null ? null : HighWaterMark.Parse(markFile, _highWater);
        return new HeadFloor(Math.Max(size, mark is null ? 0 : mark.Epoch + 1), mark?.Epoch, mark?.RecordHash ?? default);
    }

    private sealed record Seen(byte[]? Mark, ulong Size, HeadFloor Floor);
}
