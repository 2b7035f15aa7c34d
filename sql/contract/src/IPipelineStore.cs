namespace Optiks.Storage;

/// <summary>
/// The update-task's role: the only writer of leaves, epochs and the head row. Every write is conditional on the lease's fence, so that a
/// process paused past its lease fails instead of writing (<see cref="StorageFencedException"/>). Correctness never depends on a clock.
/// </summary>
public interface IPipelineStore : IFollowStore
{
    /// <summary>
    /// Whether accepting an update waits for this role's transactions. Callers then split writes that are not urgent into small
    /// transactions.
    /// </summary>
    bool WritesAlone { get; }

    /// <summary>
    /// Takes the lease if nobody holds it, if it has ended by the database's clock, or if <paramref name="holder"/> already holds it.
    /// Taking over raises the fence and ends the old holder's database session where the engine can do so. Returns null while another
    /// holder's lease runs.
    /// </summary>
    Task<Lease?> AcquireLeaseAsync(string holder, TimeSpan duration, CancellationToken cancellationToken);

    /// <summary>Moves the lease's end; returns false when this holder no longer has the lease.</summary>
    Task<bool> RenewLeaseAsync(Lease lease, TimeSpan duration, CancellationToken cancellationToken);

    /// <summary>Ends the lease at once, so that a standby need not wait. Does nothing when this holder no longer has it.</summary>
    Task ReleaseLeaseAsync(Lease lease, CancellationToken cancellationToken);

    /// <summary>
    /// Writes epoch 0 and the first period's secrets into a database that has no epoch, in one transaction. Throws
    /// <see cref="StorageFencedException"/> when the lease is lost or an epoch exists.
    /// </summary>
    Task CreateGenesisAsync(Lease lease, EpochRow genesis, PeriodRow period, CancellationToken cancellationToken);

    /// <summary>
    /// Writes the period that follows the current one as next, and returns its row. If an earlier holder has written that row, its secrets
    /// count and the stored row is returned. May be repeated. Throws <see cref="StorageFencedException"/> when the lease is lost, when
    /// another period follows the current one, or when the secrets name another key-encryption key than the current period's.
    /// </summary>
    Task<PeriodRow> BeginPeriodAsync(Lease lease, ulong period, ReadOnlyMemory<byte> wrappedSecrets, CancellationToken cancellationToken);

    /// <summary>
    /// Adds rows to the copies of the next period, in one transaction. The conditions are the lease, that the stored rows end where these
    /// begin, and that every source has its value, which no epoch erases meanwhile. Only the last row of each key keeps its value. Never
    /// repeats a commit on its own.
    /// </summary>
    Task<StageResult> StageCopiesAsync(Lease lease, CopyBatch copies, CancellationToken cancellationToken);

    /// <summary>
    /// Returns the numbers of a period's copies that rows <paramref name="first"/> to <paramref name="last"/> superseded: those copies have
    /// no values any more.
    /// </summary>
    Task<IReadOnlyList<int>> ReadSupersededAsync(ulong period, int first, int last, CancellationToken cancellationToken);

    /// <summary>
    /// Returns the period after the current one if the operator asks for its beginning, however many copies are staged; null when nobody
    /// asks. The request ends once that period is current.
    /// </summary>
    Task<ulong?> ReadRequestedSwitchAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Destroys the secrets of a period that has ended and is no longer served because <paramref name="retainedPeriods"/> later ones have
    /// begun. From then on nobody can read its secrets from the database; the caller must destroy everything derived from them before it
    /// continues. May be repeated. Throws <see cref="StorageFencedException"/> when the lease is lost, and <see cref="ArgumentException"/>
    /// while the period or an earlier one is served.
    /// </summary>
    Task BeginDestroyingAsync(Lease lease, ulong period, int retainedPeriods, CancellationToken cancellationToken);

    /// <summary>
    /// Destroys openings, keys and values of a period whose secrets are destroyed. Destroys those of its copies and, epoch by epoch, those
    /// of its leaves of devices and keys. One call destroys at most <paramref name="maxValues"/> values or those of one epoch. Returns
    /// whether everything is destroyed; the period's state is then destroyed. Any holder may repeat it. Throws
    /// <see cref="StorageFencedException"/> when the lease is lost, or when <see cref="BeginDestroyingAsync"/> was not called before.
    /// </summary>
    Task<bool> DestroyAsync(Lease lease, ulong period, int maxValues, CancellationToken cancellationToken);

    /// <summary>
    /// Shows <paramref name="selection"/> the pending rows after the last row that it was shown, in order of acceptance, until it is full
    /// or no rows are left. The cost does not grow with the number of rows that stay behind. Requests get their numbers in the order in
    /// which they become visible, as a whole. Only the task deletes rows, so rows that were shown before remain valid. After a failure the
    /// selection has seen some of the rows and may be continued or dropped.
    /// </summary>
    Task ReadPendingAsync(PendingSelection selection, CancellationToken cancellationToken);

    /// <summary>Counts the pending items, up to <paramref name="atMost"/>.</summary>
    Task<long> CountPendingAsync(long atMost, CancellationToken cancellationToken);

    /// <summary>
    /// Writes the epoch in one transaction: leaves, values, the epoch row, outcomes, erasures, the switch to another period if any, and the
    /// head row. The transaction also deletes exactly the erased values, including those of copies of the erased leaves and of the leaves
    /// that they were copied from. It deletes exactly the pending rows that were read. The numbers of deleted values and rows are checked.
    /// </summary>
    /// <remarks>
    /// The head row changes on condition of (epoch - 1, previous hash, fence, holder) and of epoch - 1 being published. So at most one
    /// committed epoch is unpublished. A switch requires that its period is next and has exactly the given number of copies. When the
    /// connection fails during the commit, the driver reads the epoch row and compares hashes before it answers. After
    /// <see cref="CommitResult.Unknown"/> the caller may do nothing before <see cref="IFollowStore.ReadEpochsAsync"/> has shown the result.
    /// Never repeats a commit on its own.
    /// </remarks>
    Task<CommitResult> CommitEpochAsync(Lease lease, EpochCommit commit, CancellationToken cancellationToken);

    /// <summary>
    /// Finds committed leaves and copies by their names, in order. The result is null for a leaf that does not exist or that a later row
    /// takes out. The table of leaves has no index of labels. So a leaf costs as many small reads as the number of its epoch's leaves has
    /// bits. A copy costs one read: rows of copies are ordered by their sources, which the name does not tell, so their labels have an
    /// index.
    /// </summary>
    Task<IReadOnlyList<LeafPlace?>> FindLeavesAsync(IReadOnlyList<LeafName> names, CancellationToken cancellationToken);

    /// <summary>
    /// Reads at most <paramref name="max"/> leaves from (<paramref name="epoch"/>, <paramref name="ordinal"/>) on, including those of the
    /// unpublished epoch. It returns fewer leaves where values exceed some 16 MiB, but at least one where one exists.
    /// </summary>
    Task<IReadOnlyList<StoredLeaf>> ReadLeavesAsync(ulong epoch, int ordinal, int max, CancellationToken cancellationToken);

    /// <summary>
    /// Reads the value of a committed leaf or a copy; returns null when it was erased or destroyed, or when the leaf does not exist.
    /// </summary>
    Task<ReadOnlyMemory<byte>?> ReadValueAsync(LeafPlace place, CancellationToken cancellationToken);

    /// <summary>
    /// Stores the signed note of a committed epoch in exactly one row, found by (epoch, record hash), under the fence. Throws
    /// <see cref="StorageFencedException"/> otherwise.
    /// </summary>
    Task StoreCheckpointAsync(Lease lease, ulong epoch, ReadOnlyMemory<byte> recordHash, ReadOnlyMemory<byte> checkpoint, CancellationToken cancellationToken);

    /// <summary>
    /// Moves the head row's published epoch to <paramref name="epoch"/>, from the one before or from <paramref name="epoch"/> itself, under
    /// the fence. Throws <see cref="StorageFencedException"/> otherwise.
    /// </summary>
    Task PublishAsync(Lease lease, ulong epoch, CancellationToken cancellationToken);

    /// <summary>
    /// Deletes at most <paramref name="maxRequests"/> requests, with their outcomes, that are not pending and whose id's time is more than
    /// <see cref="Limits.RequestRetention"/> ago by the database's clock. Returns how many it deleted.
    /// </summary>
    Task<int> PurgeRequestsAsync(Lease lease, int maxRequests, CancellationToken cancellationToken);

    /// <summary>
    /// Reads leaves, values, request ids and outcomes of a committed epoch above the published one, so that the task can finish it after a
    /// crash. Returns null when there is no such epoch.
    /// </summary>
    Task<EpochContent?> ReadUnpublishedAsync(CancellationToken cancellationToken);
}
