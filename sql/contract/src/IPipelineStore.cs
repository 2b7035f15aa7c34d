namespace Optiks.Storage;

/// <summary>
/// The update-task's role: the only writer of leaves, epochs and the head row. Every write is conditional on the lease's fence, so that a
/// process paused past its lease fails instead of writing (<see cref="StorageFencedException"/>). Correctness never depends on a clock.
/// </summary>
public interface IPipelineStore : IFollowStore
{
    /// <summary>WritesAlone: whoever accepts an update waits for this role's transactions, so that what is not urgent is written in small ones.</summary>
    bool WritesAlone { get; }

    /// <summary>
    /// Takes the lease if nobody holds it, it has ended by the database's clock, or <paramref name="holder"/> holds it already; taking over raises the
    /// fence and ends the old holder's database session where the engine can. Null when another holder's lease runs.
    /// </summary>
    Task<Lease?> AcquireLeaseAsync(string holder, TimeSpan duration, CancellationToken cancellationToken);

    /// <summary>Moves the lease's end; false when it is no longer this holder's.</summary>
    Task<bool> RenewLeaseAsync(Lease lease, TimeSpan duration, CancellationToken cancellationToken);

    /// <summary>Ends the lease at once, so that a standby need not wait; nothing happens when it is no longer this holder's.</summary>
    Task ReleaseLeaseAsync(Lease lease, CancellationToken cancellationToken);

    /// <summary>
    /// Writes epoch 0 and the first period's secrets into a database that has no epoch, in one transaction. <see cref="StorageFencedException"/> when the
    /// lease is lost or an epoch exists.
    /// </summary>
    Task CreateGenesisAsync(Lease lease, EpochRow genesis, PeriodRow period, CancellationToken cancellationToken);

    /// <summary>
    /// Writes the period that follows the current one as next, and gives its row: that of an earlier holder where there is one, whose secrets count. May be repeated.
    /// <see cref="StorageFencedException"/> when the lease is lost, another period is the one that follows, or its secrets name another key-encryption key than those of the current one.
    /// </summary>
    Task<PeriodRow> BeginPeriodAsync(Lease lease, ulong period, ReadOnlyMemory<byte> wrappedSecrets, CancellationToken cancellationToken);

    /// <summary>
    /// Adds rows to the copies of the period that is next, in one transaction: on condition of the lease, that the rows there end where these begin, and that every source has its value,
    /// which no epoch erases meanwhile. Of each key the last row alone keeps its value. Never repeats a commit by itself.
    /// </summary>
    Task<StageResult> StageCopiesAsync(Lease lease, CopyBatch copies, CancellationToken cancellationToken);

    /// <summary>Gives the numbers of a period's copies whose place rows <paramref name="first"/> to <paramref name="last"/> took: they have no values any more.</summary>
    Task<IReadOnlyList<int>> ReadSupersededAsync(ulong period, int first, int last, CancellationToken cancellationToken);

    /// <summary>Gives the period after the current one if the operator asks for its beginning, whatever has been staged; null: nobody does. What was asked for is over once that period is current.</summary>
    Task<ulong?> ReadRequestedSwitchAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Destroys the secrets of a period that has ended and is not served any more, as <paramref name="retainedPeriods"/> later ones have begun. From here on nobody takes its secrets from the
    /// database; what others made of them is the caller's to destroy before it goes on. May be repeated. <see cref="StorageFencedException"/> when the lease is lost, <see cref="ArgumentException"/> while it
    /// is served, or an earlier one is.
    /// </summary>
    Task BeginDestroyingAsync(Lease lease, ulong period, int retainedPeriods, CancellationToken cancellationToken);

    /// <summary>
    /// Destroys openings, keys and values of a period whose secrets are destroyed: of its copies and, by epoch, of its leaves of devices and keys, of at most <paramref name="maxValues"/> of them
    /// or one epoch's. It says whether that was all: the period is destroyed then. May be repeated, by any holder. <see cref="StorageFencedException"/> when the lease is lost, or
    /// <see cref="BeginDestroyingAsync"/> comes first.
    /// </summary>
    Task<bool> DestroyAsync(Lease lease, ulong period, int maxValues, CancellationToken cancellationToken);

    /// <summary>
    /// Shows <paramref name="selection"/> the pending rows after the last that it was shown, in order of acceptance, until it wants no more or there are no more.
    /// The cost does not grow with what stays behind. Requests get their numbers in the order in which they become visible, whole, and only the task deletes any: what was shown
    /// before holds good. After a failure the selection has seen some of the rows, and may go on or be dropped.
    /// </summary>
    Task ReadPendingAsync(PendingSelection selection, CancellationToken cancellationToken);

    /// <summary>Counts the pending items, up to <paramref name="atMost"/>.</summary>
    Task<long> CountPendingAsync(long atMost, CancellationToken cancellationToken);

    /// <summary>
    /// Writes the epoch in one transaction: leaves, values, the epoch row, outcomes, erasures with the deletion of exactly their values (counted too; copies of what is erased, and what was copied, are added to them), the deletion of exactly the pending rows read (their number is
    /// checked), the switch to another period if it is one (on condition that it is next and has exactly so many copies), and the head row, conditional on (epoch - 1, previous hash, fence, holder) and on epoch - 1 being published: at most one committed epoch is unpublished. When the connection fails during the commit the driver reads
    /// the epoch row and compares hashes before it answers. After <see cref="CommitResult.Unknown"/> nothing may be done before
    /// <see cref="IFollowStore.ReadEpochsAsync"/> has told. Never repeats a commit by itself.
    /// </summary>
    Task<CommitResult> CommitEpochAsync(Lease lease, EpochCommit commit, CancellationToken cancellationToken);

    /// <summary>
    /// Finds committed leaves and copies by their names, in order; null for one that is not there, or that a later row takes out. A leaf costs as many small reads as its epoch's number of
    /// leaves has bits: the table of leaves has no index of labels. A copy costs one: rows of copies are in the order of their sources, which its name does not tell, so that these have one.
    /// </summary>
    Task<IReadOnlyList<LeafPlace?>> FindLeavesAsync(IReadOnlyList<LeafName> names, CancellationToken cancellationToken);

    /// <summary>
    /// Reads at most <paramref name="max"/> leaves from (<paramref name="epoch"/>, <paramref name="ordinal"/>) on, the unpublished epoch's too, fewer where values come to more than some 16 MiB, at least one where there is one.
    /// </summary>
    Task<IReadOnlyList<StoredLeaf>> ReadLeavesAsync(ulong epoch, int ordinal, int max, CancellationToken cancellationToken);

    /// <summary>Reads the value of a committed leaf or a copy; null when it was erased or destroyed, or there is no such leaf.</summary>
    Task<ReadOnlyMemory<byte>?> ReadValueAsync(LeafPlace place, CancellationToken cancellationToken);

    /// <summary>Stores the signed note of a committed epoch: exactly one row by (epoch, record hash) under the fence, or <see cref="StorageFencedException"/>.</summary>
    Task StoreCheckpointAsync(Lease lease, ulong epoch, ReadOnlyMemory<byte> recordHash, ReadOnlyMemory<byte> checkpoint, CancellationToken cancellationToken);

    /// <summary>Moves the head row's published epoch to <paramref name="epoch"/>, from the one before (or from itself), under the fence, or <see cref="StorageFencedException"/>.</summary>
    Task PublishAsync(Lease lease, ulong epoch, CancellationToken cancellationToken);

    /// <summary>
    /// Deletes at most <paramref name="maxRequests"/> requests, with their outcomes, that are not pending and whose id's time is more than
    /// <see cref="Limits.RequestRetention"/> ago by the database's clock. Returns how many.
    /// </summary>
    Task<int> PurgeRequestsAsync(Lease lease, int maxRequests, CancellationToken cancellationToken);

    /// <summary>Reads leaves, values, request ids and outcomes of a committed epoch above the published one, to finish it after a crash; null when there is none.</summary>
    Task<EpochContent?> ReadUnpublishedAsync(CancellationToken cancellationToken);
}
