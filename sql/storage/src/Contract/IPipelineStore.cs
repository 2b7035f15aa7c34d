namespace Optiks.Storage;

/// <summary>
/// The operations of the update-task's role, the only role that writes leaves, epochs and the head row. Every write requires that the fence
/// of the writer's lease is still in force. So a process that was paused until its lease expired gets a
/// <see cref="StorageFencedException"/> and writes nothing. Correctness does not depend on any clock.
/// </summary>
public interface IPipelineStore : IFollowStore
{
    /// <summary>
    /// Whether the update-service must wait for this role's write transactions before it can accept an update. If so, callers split writes
    /// that are not urgent into small transactions.
    /// </summary>
    bool WritesAlone { get; }

    /// <summary>
    /// Takes the lease if nobody holds it, if it has ended by the database's clock, or if the given <paramref name="holder"/> already holds
    /// it. Taking the lease increases the fence, and ends the old holder's database session if the engine can do so. Returns null while
    /// another holder's lease has not expired.
    /// </summary>
    Task<Lease?> AcquireLeaseAsync(string holder, TimeSpan duration, CancellationToken cancellationToken);

    /// <summary>Moves the lease's end to the given <paramref name="duration"/> from now; returns false if the lease's holder has lost
    /// it.</summary>
    Task<bool> RenewLeaseAsync(Lease lease, TimeSpan duration, CancellationToken cancellationToken);

    /// <summary>
    /// Ends the lease at once, so that a standby need not wait. Does nothing if the lease's holder has lost it.
    /// </summary>
    Task ReleaseLeaseAsync(Lease lease, CancellationToken cancellationToken);

    /// <summary>
    /// Writes epoch 0 and the first period's secrets into a database that has no epoch, in one transaction. Throws
    /// <see cref="StorageFencedException"/> when the caller has lost the lease or an epoch exists.
    /// </summary>
    Task CreateGenesisAsync(Lease lease, EpochRow genesis, PeriodRow period, CancellationToken cancellationToken);

    /// <summary>
    /// Writes the row of the period after the current one, with the state <see cref="PeriodState.Next"/>, and returns the row. If an
    /// earlier holder of the lease has already written that row, the call keeps the stored secrets and returns the stored row. Callers may
    /// repeat the call. Throws <see cref="StorageFencedException"/> in three cases: the caller has lost the lease, the given period is not
    /// the one after the current period, or the new secrets name another key-encryption key than the current period's secrets.
    /// </summary>
    Task<PeriodRow> BeginPeriodAsync(Lease lease, ulong period, ReadOnlyMemory<byte> wrappedSecrets, CancellationToken cancellationToken);

    /// <summary>
    /// Adds rows to the copies of the next period, in one transaction. The caller must hold the lease, the stored rows must end where the
    /// new rows begin, and the source of every new row must have its value. No epoch erases such a value during the transaction. When a key
    /// gets a new row, its earlier row loses its value. The store never repeats a commit unless the caller asks for it.
    /// </summary>
    Task<StageResult> StageCopiesAsync(Lease lease, CopyBatch copies, CancellationToken cancellationToken);

    /// <summary>
    /// Returns the numbers of a period's copies that the copies from <paramref name="first"/> to <paramref name="last"/> superseded. The
    /// superseded copies no longer have values.
    /// </summary>
    Task<IReadOnlyList<int>> ReadSupersededAsync(ulong period, int first, int last, CancellationToken cancellationToken);

    /// <summary>
    /// Returns the next period if the operator has requested that it begin; otherwise null. The request does not depend on how many copies
    /// are staged. It ends once that period is current.
    /// </summary>
    Task<ulong?> ReadRequestedSwitchAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Deletes the secrets of a period that has ended and is no longer served, because the given number of later periods
    /// (<paramref name="retainedPeriods"/>) have begun. Afterwards nobody can read these secrets from the database. Before the caller
    /// continues, it must destroy everything that was derived from them. Callers may repeat the call. Throws
    /// <see cref="StorageFencedException"/> when the caller has lost the lease, and <see cref="ArgumentException"/> while this period or an
    /// earlier one is still served.
    /// </summary>
    Task BeginDestroyingAsync(Lease lease, ulong period, int retainedPeriods, CancellationToken cancellationToken);

    /// <summary>
    /// Deletes the openings, keys and values of a period whose secrets are destroyed. It begins with the period's copies and continues,
    /// epoch by epoch, with the period's leaves of the structures <c>devices</c> and <c>keys</c>. One call deletes at most the given number
    /// of values (<paramref name="maxValues"/>), unless one epoch has more. Returns true once everything is deleted; the period then has
    /// the state <see cref="PeriodState.Destroyed"/>. Any holder of the lease may repeat the call. Throws
    /// <see cref="StorageFencedException"/> when the caller has lost the lease, or when <see cref="BeginDestroyingAsync"/> was not called
    /// before.
    /// </summary>
    Task<bool> DestroyAsync(Lease lease, ulong period, int maxValues, CancellationToken cancellationToken);

    /// <summary>
    /// Passes pending rows to the given <paramref name="selection"/> in order of acceptance. It begins after the last row that the
    /// selection has seen, and ends when the selection is full or no rows are left. The cost does not depend on the number of rows that are
    /// left over. Requests get their sequence numbers in the order in which they become visible, and all rows of a request become visible
    /// together. Only the update-task deletes rows, so rows that the selection has seen remain valid. If the call throws, the selection has
    /// seen some of the rows; the caller may continue with it or discard it.
    /// </summary>
    Task ReadPendingAsync(PendingSelection selection, CancellationToken cancellationToken);

    /// <summary>Counts the pending items; the count stops at the limit <paramref name="atMost"/>.</summary>
    Task<long> CountPendingAsync(long atMost, CancellationToken cancellationToken);

    /// <summary>
    /// Writes the epoch in one transaction: leaves, values, the epoch row, outcomes, erasures, the switch to the next period if there is
    /// one, and the head row. The transaction also deletes the values of the erased leaves, of their copies, and of the leaves from which
    /// they were copied, and no other values. It deletes exactly the pending rows that the outcomes name. The driver checks the numbers of
    /// deleted values and rows.
    /// </summary>
    /// <remarks>
    /// The transaction changes the head row only if that row has the last epoch (epoch - 1), the previous hash, the fence and the holder
    /// that the caller names, and if epoch - 1 is published. So at most one committed epoch is unpublished. A switch requires that the
    /// period's state is <see cref="PeriodState.Next"/> and that the period has exactly the given number of copies. When the connection
    /// fails during the commit, the driver reads the epoch row and compares hashes before it answers. After
    /// <see cref="CommitResult.Unknown"/> the caller may do nothing before <see cref="IFollowStore.ReadEpochsAsync"/> has shown the result.
    /// The driver never repeats a commit unless the caller asks for it.
    /// </remarks>
    Task<CommitResult> CommitEpochAsync(Lease lease, EpochCommit commit, CancellationToken cancellationToken);

    /// <summary>
    /// Finds committed leaves and copies by their names and returns their places in the order of the names. The place is null for a leaf
    /// that does not exist, and for a copy that a later row removed. The table of leaves has no index of labels, so finding one leaf among
    /// an epoch's n leaves takes about log2(n) small reads. Finding a copy takes one read, because the labels of copies have an index.
    /// </summary>
    Task<IReadOnlyList<LeafPlace?>> FindLeavesAsync(IReadOnlyList<LeafName> names, CancellationToken cancellationToken);

    /// <summary>
    /// Reads leaves from the position (<paramref name="epoch"/>, <paramref name="ordinal"/>) on, at most <paramref name="max"/> of them,
    /// including leaves of the unpublished epoch. Returns fewer leaves when their values exceed about 16 MiB, but at least one leaf if one
    /// exists.
    /// </summary>
    Task<IReadOnlyList<StoredLeaf>> ReadLeavesAsync(ulong epoch, int ordinal, int max, CancellationToken cancellationToken);

    /// <summary>
    /// Reads the value of a committed leaf or a copy; returns null when the value was erased or destroyed, or when the leaf does not exist.
    /// </summary>
    Task<ReadOnlyMemory<byte>?> ReadValueAsync(LeafPlace place, CancellationToken cancellationToken);

    /// <summary>
    /// Stores the signed checkpoint of a committed epoch in the row that has this epoch and record hash. Throws
    /// <see cref="StorageFencedException"/> when no such row exists or the fence has changed.
    /// </summary>
    Task StoreCheckpointAsync(Lease lease, ulong epoch, ReadOnlyMemory<byte> recordHash, ReadOnlyMemory<byte> checkpoint, CancellationToken cancellationToken);

    /// <summary>
    /// Sets the published epoch in the head row to the given <paramref name="epoch"/>. Before the call, the head row must have the lease's
    /// fence, and its published epoch must be the previous epoch or already the given one; otherwise throws
    /// <see cref="StorageFencedException"/>.
    /// </summary>
    Task PublishAsync(Lease lease, ulong epoch, CancellationToken cancellationToken);

    /// <summary>
    /// Deletes requests with their outcomes, at most <paramref name="maxRequests"/> of them, and returns the number of deleted requests. It
    /// deletes only requests that are not pending and whose ids have a time that is more than <see cref="Limits.RequestRetention"/> ago by
    /// the database's clock.
    /// </summary>
    Task<int> PurgeRequestsAsync(Lease lease, int maxRequests, CancellationToken cancellationToken);

    /// <summary>
    /// Reads the leaves, values, request ids and outcomes of the committed epoch that is not published yet, so that the update-task can
    /// finish it after a crash. Returns null when there is no such epoch.
    /// </summary>
    Task<EpochContent?> ReadUnpublishedAsync(CancellationToken cancellationToken);
}
