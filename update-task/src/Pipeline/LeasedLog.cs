using Optiks.Storage;
using Optiks.Tlog;
using Optiks.UpdateTask.Board;
using Optiks.UpdateTask.Leasing;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>
/// Gives the holder of one lease access to the log: to the database, the lease, the state in memory, and the board's lock. Objects that
/// write during the lease get this object when they are made, and are not used after the lease.
/// </summary>
internal sealed class LeasedLog
{
    private readonly BoardFolder _folder;
    private readonly BoardLocker _locker;

    public LeasedLog(PipelineStore store, LeaseKeeper keeper, LogSession session, BoardFolder folder, BoardLocker locker)
    {
        Store = store;
        Keeper = keeper;
        Session = session;
        _folder = folder;
        _locker = locker;
    }

    /// <summary>The database.</summary>
    public PipelineStore Store { get; }

    /// <summary>Renews the lease.</summary>
    public LeaseKeeper Keeper { get; }

    /// <summary>The lease that every write to the database names.</summary>
    public Lease Lease => Keeper.Lease;

    /// <summary>The log's state in memory.</summary>
    public LogSession Session { get; }

    /// <summary>Takes the board's lock for the holder of this lease (the method <see cref="BoardLocker.LockAsync"/>).</summary>
    public Task<BoardLock> LockBoardAsync(CancellationToken cancellationToken) => _locker.LockAsync(Store, Lease, cancellationToken);

    /// <summary>
    /// Reads the database's head row and compares it with the session's last epoch (the method
    /// <see cref="StandingCheck.CheckHeadUnchanged"/>).
    /// </summary>
    public async Task CheckHeadAsync(CancellationToken cancellationToken) =>
        StandingCheck.CheckHeadUnchanged(await Store.ReadHeadAsync(cancellationToken), Lease, Session.Last, _folder);
}
