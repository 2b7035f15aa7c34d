using Optiks.ServiceDefaults;
using Optiks.Storage.Replay;

namespace Optiks.QueryService.Following;

/// <summary>
/// Determines the last epoch that the board's checkpoint covers: the replica serves no epoch beyond that one (docs/spec/board.md section
/// 3). The checkpoint is behind the database's published epoch only while it waits for witnesses, or until the checkpoint arrives where
/// this replica reads the board. Only the follower uses it, except for <see cref="Awaited"/>.
/// </summary>
internal sealed class BoardReach
{
    private readonly BoardWatch _board;
    private long _awaited = -1;

    public BoardReach(BoardWatch board) => _board = board;

    /// <summary>The database's last published epoch, as long as it is beyond the board's checkpoint; otherwise null. Thread-safe.</summary>
    public ulong? Awaited => Interlocked.Read(ref _awaited) is >= 0 and long awaited ? (ulong)awaited : null;

    /// <summary>
    /// Returns the last epoch that may be served, at most the published one; null when the board has no checkpoint yet. Throws
    /// <see cref="BoardUnreadableException"/>.
    /// </summary>
    /// <param name="published">The database's published epoch.</param>
    /// <param name="served">
    /// The last epoch that this replica ever served. A checkpoint covered it at that time, so as long as a remote board has not answered,
    /// the replica may serve epochs up to this one. Null when the replica has served no epoch.
    /// </param>
    /// <param name="cancellationToken">Cancels the read.</param>
    public async Task<ulong?> FindAsync(ulong published, ulong? served, CancellationToken cancellationToken)
    {
        ulong? last = !_board.HasAnswered && served is not null ? served : (await _board.ReadAsync(cancellationToken))?.Size - 1;
        _ = Interlocked.Exchange(ref _awaited, last is null || last < published ? (long)published : -1);
        return last is null ? null : Math.Min(published, last.Value);
    }

    /// <summary>Refuses an epoch when the newest checkpoint ends with that epoch and has another root.</summary>
    public Refused? Check(VerifiedEpoch epoch) => _board.Newest is { } checkpoint && checkpoint.Size == epoch.Epoch + 1 && checkpoint.Root != epoch.Root()
        ? new Refused($"The database and the board have different logs of {checkpoint.Size} epochs, and the log signed both: keep both as evidence.")
        : null;
}
