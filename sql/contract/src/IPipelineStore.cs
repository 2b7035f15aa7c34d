namespace Optiks.Storage;

/// <summary>
/// The update-task's role: the only writer of leaves, epochs and the head row. Every write is conditional on the lease's fence, so that a
/// process paused past its lease fails instead of writing (<see cref="StorageFencedException"/>). Correctness never depends on a clock.
/// </summary>
public interface IPipelineStore : IFollowStore
{
    /// <summary>
    /// Whether accepting an update must wait for this role's transactions. If so, callers split writes that are not urgent into small
    /// transactions.
    /// </summary>
    bool WritesAlone { get; }

    /// <summary>
    /// Takes the lease if nobody holds it, if it has ended by the database's clock, or if <paramref name="holder"/> already holds it.
    /// Taking over raises the fence and ends the old holder's database session if the engine can do so. Returns null while another holder's
    /// lease runs.
    /// </summary>
    Task<Lease?> AcquireLeaseAsync(string holder, TimeSpan duration, CancellationToken cancellationToken);

    /// <summary>Moves the lease's end; returns false when the holder in <paramref name="lease"/> no longer has the lease.</summary>
    Task<bool> RenewLeaseAsync(Lease lease, TimeSpan duration, CancellationToken cancellationToken);

    /// <summary>
    /// Ends the lease at once, so that a standby need not wait. Does nothing when the holder in <paramref name="lease"/> no longer has it.
    /// </summary>
    Task ReleaseLeaseAsync(Lease lease, CancellationToken cancellationToken);

    /// <summary>
    /// Writes epoch 0 and the first period's secrets into a database that has no epoch, in one transaction. Throws
    /// <see cref="StorageFencedException"/> when the lease is lost or an epoch exists.
    /// </summary>
    Task CreateGenesisAsync(Lease lease, EpochRow genesis, PeriodRow period, CancellationToken cancellationToken);

    /// <summary>
    /// Writes the row of the period after the current one, in state next, and returns the row. If an earlier holder has already written
    /// that row, the call keeps its secrets and returns the stored row. Callers may repeat the call. Throws
    /// <see cref="StorageFencedException"/> when the lease is lost, when <paramref name="period"/> is not the one after the current period,
    /// or when the secrets name another key-encryption key than the current period's secrets do.
    /// </summary>
    Task<PeriodRow> BeginPeriodAsync(Lease lease, ulong period, ReadOnlyMemory<byte> wrappedSecrets, CancellationToken cancellationToken);

    /// <summary>
    /// Adds rows to the copies of the next period, in one transaction. The holder must have the lease, the stored rows must end where the
    /// new rows begin, and every source must have its value. No epoch erases such a value during the transaction. Only the last row of each
    /// key keeps its value. The store never repeats a commit on its own.
    /// </summary>
    Task<StageResult> StageCopiesAsync(Lease lease, CopyBatch copies, CancellationToken cancellationToken);

    /// <summary>
    /// Returns the numbers of a period's copies that rows <paramref name="first"/> to <paramref name="last"/> superseded. The superseded
    /// copies no longer have values.
    /// </summary>
    Task<IReadOnlyList<int>> ReadSupersededAsync(ulong period, int first, int last, CancellationToken cancellationToken);

    /// <summary>
    /// Returns the period after the current one if the operator requested that it begin, however many copies are staged; null when there is
    /// no such request. The request ends once that period is current.
    /// </summary>
    Task<ulong?> ReadRequestedSwitchAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Destroys the secrets of a period that has ended and is no longer served because <paramref name="retainedPeriods"/> later periods
    /// have begun. From then on nobody can read the period's secrets from the database. The caller must destroy everything derived from
    /// them before it continues. Callers may repeat the call. Throws <see cref="StorageFencedException"/> when the lease is lost, and
    /// <see cref="ArgumentException"/> while the period or an earlier one is served.
    /// </summary>
    Task BeginDestroyingAsync(Lease lease, ulong period, int retainedPeriods, CancellationToken cancellationToken);

    /// <summary>
    /// Destroys the openings, keys and values of a period whose secrets are destroyed: first of the period's copies, then, epoch by epoch,
    /// of its leaves of devices and keys. One call destroys at most <paramref name="maxValues"/> values, or the values of one epoch.
    /// Returns whether everything is destroyed; if so, the period is in state destroyed. Any holder may repeat the call. Throws
    /// <see cref="StorageFencedException"/> when the lease is lost, or when <see cref="BeginDestroyingAsync"/> was not called before.
    /// </summary>
    Task<bool> DestroyAsync(Lease lease, ulong period, int maxValues, CancellationToken cancellationToken);

    /// <summary>
    /// Shows <paramref name="selection"/> the pending rows after the last row that it has seen, in order of acceptance, until the selection
    /// is full or no rows are left. The cost does not grow with the number of rows that stay behind. Requests get their numbers in the
    /// order in which they become visible, and all rows of a request become visible together. Only the update-task deletes rows, so rows
    /// that the selection has seen remain valid. After a failure the selection has seen some of the rows and may be continued or dropped.
    /// </summary>
    Task ReadPendingAsync(PendingSelection selection, CancellationToken cancellationToken);

    /// <summary>Counts the pending items, up to <paramref name="atMost"/>.</summary>
    Task<long> CountPendingAsync(long atMost, CancellationToken cancellationToken);

    /// <summary>
    /// Writes the epoch in one transaction: leaves, values, the epoch row, outcomes, erasures, the switch to another period if any, and the
    /// head row. The transaction also deletes exactly the erased values, including the values of copies of the erased leaves and of the
    /// leaves that the erased leaves were copied from. It deletes exactly the pending rows that were read. The driver checks the numbers of
    /// deleted values and rows.
    /// </summary>
    /// <remarks>
    /// The head row changes only if it has (epoch - 1, previous hash, fence, holder) and if epoch - 1 is published. So at most one
    /// committed epoch is unpublished. A switch requires that its period is in state next and has exactly the given number of copies. When
    /// the connection fails during the commit, the driver reads the epoch row and compares hashes before it answers. After
    /// <see cref="CommitResult.Unknown"/> the caller may do nothing before <see cref="IFollowStore.ReadEpochsAsync"/> has shown the result.
    /// Never repeats a commit on its own.
    /// </remarks>
    Task<CommitResult> CommitEpochAsync(Lease lease, EpochCommit commit, CancellationToken cancellationToken);

    /// <summary>
    /// Finds committed leaves and copies by their names, in order. The result is null for a leaf that does not exist or that a later row
    /// takes out. The table of leaves has no index of labels, so finding one leaf among n leaves of an epoch takes about log2(n) small
    /// reads. Finding a copy takes one read: rows of copies are ordered by their sources, which the name does not contain, so their labels
    /// have an index.
    /// </summary>
    Task<IReadOnlyList<LeafPlace?>> FindLeavesAsync(IReadOnlyList<LeafName> names, CancellationToken cancellationToken);

    /// <summary>
    /// Reads at most <paramref name="max"/> leaves from (<paramref name="epoch"/>, <paramref name="ordinal"/>) on, including those of the
    /// unpublished epoch. Returns fewer leaves when their values exceed about 16 MiB, but at least one leaf if one exists.
    /// </summary>
    Task<IReadOnlyList<StoredLeaf>> ReadLeavesAsync(ulong epoch, int ordinal, int max, CancellationToken cancellationToken);

    /// <summary>
    /// Reads the value of a committed leaf or a copy; returns null when it was erased or destroyed, or when the leaf does not exist.
    /// </summary>
    Task<ReadOnlyMemory<byte>?> ReadValueAsync(LeafPlace place, CancellationToken cancellationToken);

    /// <summary>
    /// Stores the signed note of a committed epoch in exactly one row, found by (epoch, record hash), under the fence. Throws
    /// <see cref="StorageFencedException"/> when no such row exists or the fence has changed.
    /// </summary>
    Task StoreCheckpointAsync(Lease lease, ulong epoch, ReadOnlyMemory<byte> recordHash, ReadOnlyMemory<byte> checkpoint, CancellationToken cancellationToken);

    /// <summary>
    /// Moves the head row's published epoch to <paramref name="epoch"/>, from the epoch before or from <paramref name="epoch"/> itself,
    /// under the fence. Throws <see cref="StorageFencedException"/> when the head row has another published epoch or another fence.
    /// </summary>
    Task PublishAsync(Lease lease, ulong epoch, CancellationToken cancellationToken);

    /// <summary>
    /// Deletes at most <paramref name="maxRequests"/> requests with their outcomes, and returns the number of deleted requests. It deletes
    /// only requests that are not pending and whose id's time is more than <see cref="Limits.RequestRetention"/> ago by the database's
    /// clock.
    /// </summary>
    Task<int> PurgeRequestsAsync(Lease lease, int maxRequests, CancellationToken cancellationToken);

    /// <summary>
    /// Reads leaves, values, request ids and outcomes of a committed epoch above the published one, so that the task can finish it after a
    /// crash. Returns null when there is no such epoch.
    /// </summary>
    Task<EpochContent?> ReadUnpublishedAsync(CancellationToken cancellationToken);
}
