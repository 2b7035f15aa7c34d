using Optiks.Storage;
using Optiks.Tlog;
using Optiks.UpdateTask.Board;
using Optiks.UpdateTask.Leasing;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>
/// The log, as the holder of one lease has it: database, lease, state in memory, and the board's lock. Parts that write for the lease get
/// this object when they are made, and end with the lease.
/// </summary>
internal sealed class LeasedLog
{
    private readonly BoardFolder _folder;
    private readonly BoardLocker _locker;

    public LeasedLog(IPipelineStore store, LeaseKeeper keeper, LogSession session, BoardFolder folder, BoardLocker locker)
    {
        Store = store;
        Keeper = keeper;
        Session = session;
        _folder = folder;
        _locker = locker;
    }

    /// <summary>The database.</summary>
    public IPipelineStore Store { get; }

    /// <summary>Renews the lease.</summary>
    public LeaseKeeper Keeper { get; }

    /// <summary>The lease that every write names.</summary>
    public Lease Lease => Keeper.Lease;

    /// <summary>The log's state in memory.</summary>
    public LogSession Session { get; }

    /// <summary>Takes the board's lock (<see cref="BoardLocker.LockAsync"/>).</summary>
    public Task<BoardLock> LockBoardAsync(CancellationToken cancellationToken) => _locker.LockAsync(Store, Lease, cancellationToken);

    /// <summary>Compares the head row with the session's last epoch, as <see cref="StandingCheck.CheckHeadUnchanged"/> does.</summary>
    public async Task CheckHeadAsync(CancellationToken cancellationToken) =>
        StandingCheck.CheckHeadUnchanged(await Store.ReadHeadAsync(cancellationToken), Lease, Session.Last, _folder);
}
