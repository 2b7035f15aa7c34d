using Optiks.ServiceDefaults;
using Optiks.Storage;

namespace Optiks.QueryService.Following;

/// <summary>
/// Determines the last epoch that the board's checkpoint covers, because the replica must not serve a later epoch (docs/spec/board.md
/// section 3). The checkpoint can be behind the database's published epoch for two reasons: the next checkpoint waits for witnesses, or it
/// has not arrived yet at the place where this replica reads the board. Only the follower uses this class, except for
/// <see cref="Awaited"/>.
/// </summary>
internal sealed class BoardReach
{
    private readonly BoardWatch _board;
    private long _awaited = -1;

    public BoardReach(BoardWatch board) => _board = board;

    /// <summary>The database's last published epoch, if the board's checkpoint does not cover it yet; otherwise null.
    /// Thread-safe.</summary>
    public ulong? Awaited => Interlocked.Read(ref _awaited) is >= 0 and long awaited ? (ulong)awaited : null;

    /// <summary>
    /// Returns the last epoch that the replica may serve, which is at most the published one; null if the board has no checkpoint yet.
    /// Throws <see cref="BoardUnreadableException"/> if the board cannot be read.
    /// </summary>
    /// <param name="published">The database's published epoch.</param>
    /// <param name="served">
    /// The last epoch that this replica ever served; null if it has served no epoch. A checkpoint covered this epoch at that time. So the
    /// replica may serve epochs up to this one, even if a remote board has not answered yet.
    /// </param>
    /// <param name="cancellationToken">Cancels the read.</param>
    public async Task<ulong?> FindAsync(ulong published, ulong? served, CancellationToken cancellationToken)
    {
        ulong? last = !_board.HasAnswered && served is not null ? served : (await _board.ReadAsync(cancellationToken))?.Size - 1;
        _ = Interlocked.Exchange(ref _awaited, last is null || last < published ? (long)published : -1);
        return last is null ? null : Math.Min(published, last.Value);
    }

    /// <summary>Returns a refusal if the board's newest checkpoint ends with the given epoch and has another root.</summary>
    public Refused? Check(VerifiedEpoch epoch) =>
        _board.Newest is { } checkpoint && checkpoint.Size == epoch.Epoch + 1 && checkpoint.Root != epoch.Root()
        ? new Refused(
            $"The database and the board have different logs of {checkpoint.Size} epochs, and the log signed both: keep both as evidence.")
        : null;
}
