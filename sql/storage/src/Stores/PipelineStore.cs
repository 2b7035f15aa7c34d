namespace Optiks.Storage;

/// <summary>
/// Performs the operations of the update-task's role, the only role that writes leaves, epochs and the head row. Every write requires that
/// the fence of the writer's lease is still in force. So a process that was paused until its lease expired gets a
/// <see cref="StorageFencedException"/> and writes nothing. Correctness does not depend on any clock.
/// </summary>
/// <remarks>The methods that tests make fail are virtual.</remarks>
public class PipelineStore : FollowStore
{
    // The time for which the store tries to find out whether a commit took effect, if the server's answer was lost. The server may be
    // restarting or failing over.
    private static readonly TimeSpan ResolveTime = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan ResolveInterval = TimeSpan.FromMilliseconds(200);

    /// <summary>Creates a store on a database. The store later disposes of the database object.</summary>
    public PipelineStore(IDatabase database)
        : base(database)
    {
    }

    /// <summary>Creates a store on the database of another store. Only the new store may be used and disposed of from now on.</summary>
    protected PipelineStore(PipelineStore other)
        : base(other.Database)
    {
    }

    /// <summary>
    /// Whether the update-service must wait for this role's write transactions before it can accept an update. If so, callers split writes
    /// that are not urgent into small transactions.
    /// </summary>
    public bool WritesAlone => Database.HasOneWriter;

    /// <summary>
    /// Takes the lease if nobody holds it, if it has ended by the database's clock, or if the given <paramref name="holder"/> already holds
    /// it. Taking the lease increases the fence, and ends the old holder's database session if the engine can do so. Returns null while
    /// another holder's lease has not expired.
    /// </summary>
    public async Task<Lease?> AcquireLeaseAsync(string holder, TimeSpan duration, CancellationToken cancellationToken)
    {
        ArgumentException.ThrowIfNullOrEmpty(holder);
        // The code ends the old holder's sessions before this store updates the head row. If the old holder was paused just before its
        // commit, it still holds the row's lock. No two stores have the same session name, so no session of another store is ended.
        await Database.EndExpiredHolderAsync(holder, cancellationToken);
        return await Database.WriteOneAsync(
            (session, cancel) => session.FirstAsync(
                Statements.AcquireLease,
                rows => new Lease(holder, rows.GetInt64(0), rows.GetTime(1)),
                cancel,
                Parameter.Create("holder", holder),
                Parameter.Create("duration", duration),
                Parameter.Create("session", Database.SessionName)),
            cancellationToken);
    }

    /// <summary>Moves the lease's end to the given <paramref name="duration"/> from now; returns false if the lease's holder has lost
    /// it.</summary>
    public Task<bool> RenewLeaseAsync(Lease lease, TimeSpan duration, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(lease);
        return ChangeOneAsync(
            Statements.RenewLease,
            cancellationToken,
            Parameter.Create("duration", duration),
            Parameter.Create("fence", lease.Fence),
            Parameter.Create("holder", lease.Holder),
            Parameter.Create("session", Database.SessionName));
    }

    /// <summary>
    /// Ends the lease at once, so that a standby need not wait. Does nothing if the lease's holder has lost it.
    /// </summary>
    public Task ReleaseLeaseAsync(Lease lease, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(lease);
        return ChangeOneAsync(Statements.ReleaseLease, cancellationToken, Parameter.Create("fence", lease.Fence),
            Parameter.Create("holder", lease.Holder));
    }

    /// <summary>
    /// Writes epoch 0 and the first period's secrets into a database that has no epoch, in one transaction. Throws
    /// <see cref="StorageFencedException"/> when the caller has lost the lease or an epoch exists.
    /// </summary>
    public async Task CreateGenesisAsync(Lease lease, EpochRow genesis, PeriodRow period, CancellationToken cancellationToken)
    {
        if (genesis.Epoch != 0 || !genesis.Checkpoint.IsEmpty || genesis.RecordHash.Length != 32
            || period is not { Period: 0, FirstEpoch: 0, State: PeriodState.Current })
        {
            throw new ArgumentException("The genesis epoch is epoch 0, unsigned, and starts the first period.");
        }
        CommitResult result = await CommitAsync(
            (session, cancel) => EpochWriter.TryWriteGenesisAsync(session, lease, genesis, period, cancel), genesis, cancellationToken);
        if (result == CommitResult.Fenced)
        {
            throw new StorageFencedException("The genesis epoch was not written: the lease is lost, or the database has an epoch already.");
        }
        if (result == CommitResult.Unknown)
        {
            throw new StorageUnavailableException(
                "The genesis epoch may or may not have been written: read the head before anything else.");
        }
    }

    /// <summary>
    /// Writes the row of the period after the current one, with the state <see cref="PeriodState.Next"/>, and returns the row. If an
    /// earlier holder of the lease has already written that row, the call keeps the stored secrets and returns the stored row. Callers may
    /// repeat the call. Throws <see cref="StorageFencedException"/> in three cases: the caller has lost the lease, the given period is not
    /// the one after the current period, or the new secrets name another key-encryption key than the current period's secrets.
    /// </summary>
    public Task<PeriodRow> BeginPeriodAsync(
        Lease lease, ulong period, ReadOnlyMemory<byte> wrappedSecrets, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(lease);
        ArgumentOutOfRangeException.ThrowIfZero(wrappedSecrets.Length);
        return Database.WriteAsync(
            async (session, cancel) => new WriteResult<PeriodRow>(
                await PeriodWriter.BeginAsync(session, lease, period, wrappedSecrets, cancel)
                    ?? throw new StorageFencedException(
                        $"Period {period} was not begun: the lease is lost, another period is the one that follows, or the key-encryption key was rotated meanwhile."),
                Commit: true),
            resolve: null,
            cancellationToken);
    }

    /// <summary>
    /// Adds rows to the copies of the next period, in one transaction. The caller must hold the lease, the stored rows must end where the
    /// new rows begin, and the source of every new row must have its value. No epoch erases such a value during the transaction. When a key
    /// gets a new row, its earlier row loses its value. The store never repeats a commit unless the caller asks for it.
    /// </summary>
    public virtual Task<StageResult> StageCopiesAsync(Lease lease, CopyBatch copies, CancellationToken cancellationToken)
    {
        copies.ThrowIfInconsistent();
        return StageAsync((session, cancel) => PeriodWriter.StageAsync(session, lease, copies, cancel), copies, cancellationToken);
    }

    /// <summary>
    /// Returns the next period if the operator has requested that it begin; otherwise null. The request does not depend on how many copies
    /// are staged. It ends once that period is current.
    /// </summary>
    public Task<ulong?> ReadRequestedSwitchAsync(CancellationToken cancellationToken) =>
        Database.ReadAsync((session, cancel) => session.FirstAsync<ulong?>(Statements.RequestedSwitch, rows => rows.GetUInt64(0), cancel),
            cancellationToken);

    /// <summary>
    /// Deletes the secrets of a period that has ended and is no longer served, because the given number of later periods
    /// (<paramref name="retainedPeriods"/>) have begun. Afterwards nobody can read these secrets from the database. Before the caller
    /// continues, it must destroy everything that was derived from them. Callers may repeat the call. Throws
    /// <see cref="StorageFencedException"/> when the caller has lost the lease, and <see cref="ArgumentException"/> while this period or an
    /// earlier one is still served.
    /// </summary>
    public Task BeginDestroyingAsync(Lease lease, ulong period, int retainedPeriods, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(lease);
        ArgumentOutOfRangeException.ThrowIfLessThan(retainedPeriods, 1);
        return Database.WriteAsync(
            async (session, cancel) => await PeriodWriter.BeginDestroyingAsync(session, lease, period, retainedPeriods, cancel)
                ? new WriteResult<bool>(true, Commit: true)
                : throw new StorageFencedException($"The secrets of period {period} were not destroyed: the lease is lost."),
            resolve: null,
            cancellationToken);
    }

    /// <summary>
    /// Deletes the openings, keys and values of a period whose secrets are destroyed. It begins with the period's copies and continues,
    /// epoch by epoch, with the period's leaves of the structures <c>devices</c> and <c>keys</c>. One call deletes at most the given number
    /// of values (<paramref name="maxValues"/>), unless one epoch has more. Returns true once everything is deleted; the period then has
    /// the state <see cref="PeriodState.Destroyed"/>. Any holder of the lease may repeat the call. Throws
    /// <see cref="StorageFencedException"/> when the caller has lost the lease, or when <see cref="BeginDestroyingAsync"/> was not called
    /// before.
    /// </summary>
    public Task<bool> DestroyAsync(Lease lease, ulong period, int maxValues, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(lease);
        ArgumentOutOfRangeException.ThrowIfLessThan(maxValues, 1);
        return Database.WriteAsync(
            async (session, cancel) => new WriteResult<bool>(
                await PeriodWriter.DestroyAsync(session, lease, period, maxValues, cancel)
                    ?? throw new StorageFencedException(
                        $"Period {period} was not destroyed: the lease is lost, or its secrets are still there."),
                Commit: true),
            resolve: null,
            cancellationToken);
    }

    /// <summary>
    /// Passes pending rows to the given <paramref name="selection"/> in order of acceptance. It begins after the last row that the
    /// selection has seen, and ends when the selection is full or no rows are left. The cost does not depend on the number of rows that are
    /// left over. Requests get their sequence numbers in the order in which they become visible, and all rows of a request become visible
    /// together. Only the update-task deletes rows, so rows that the selection has seen remain valid. If the call throws, the selection has
    /// seen some of the rows; the caller may continue with it or discard it.
    /// </summary>
    public virtual Task ReadPendingAsync(PendingSelection selection, CancellationToken cancellationToken) => Database.ReadAsync(
        async (session, cancel) =>
        {
            await session.ReadPendingAsync(selection, cancel);
            return selection;
        },
        cancellationToken);

    /// <summary>Counts the pending items; the count stops at the limit <paramref name="atMost"/>.</summary>
    public Task<long> CountPendingAsync(long atMost, CancellationToken cancellationToken) =>
        Database.ReadAsync(
            (session, cancel) => session.FirstAsync(
                Statements.CountPending, rows => rows.GetInt64(0), cancel, Parameter.Create("atMost", atMost)), cancellationToken);

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
    public virtual Task<CommitResult> CommitEpochAsync(Lease lease, EpochCommit commit, CancellationToken cancellationToken)
    {
        commit.ThrowIfInconsistent();
        return CommitAsync((session, cancel) => EpochWriter.TryWriteAsync(session, lease, commit, cancel), commit.Epoch, cancellationToken);
    }

    /// <summary>
    /// Finds committed leaves and copies by their names and returns their places in the order of the names. The place is null for a leaf
    /// that does not exist, and for a copy that a later row removed. The table of leaves has no index of labels, so finding one leaf among
    /// an epoch's n leaves takes about log2(n) small reads. Finding a copy takes one read, because the labels of copies have an index.
    /// </summary>
    public Task<IReadOnlyList<LeafPlace?>> FindLeavesAsync(IReadOnlyList<LeafName> names, CancellationToken cancellationToken) =>
        Database.ReadAsync<IReadOnlyList<LeafPlace?>>(
        async (session, cancel) =>
        {
            var places = new LeafPlace?[names.Count];
            for (int i = 0; i < places.Length; i++)
            {
                places[i] = names[i].Period is ulong period
                    ? await CopyReader.FindAsync(session, period, names[i], cancel)
                    : await ErasureReader.FindAsync(session, names[i], cancel);
            }
            return places;
        },
        cancellationToken);

    /// <summary>
    /// Returns the numbers of a period's copies that the copies from <paramref name="first"/> to <paramref name="last"/> superseded. The
    /// superseded copies no longer have values.
    /// </summary>
    public Task<IReadOnlyList<int>> ReadSupersededAsync(ulong period, int first, int last, CancellationToken cancellationToken) =>
        Database.ReadAsync((session, cancel) => CopyReader.SupersededAsync(session, period, first, last, cancel), cancellationToken);

    /// <summary>
    /// Reads leaves from the position (<paramref name="epoch"/>, <paramref name="ordinal"/>) on, at most <paramref name="max"/> of them,
    /// including leaves of the unpublished epoch. Returns fewer leaves when their values exceed about 16 MiB, but at least one leaf if one
    /// exists.
    /// </summary>
    public virtual Task<IReadOnlyList<StoredLeaf>> ReadLeavesAsync(
        ulong epoch, int ordinal, int max, CancellationToken cancellationToken) =>
        Database.ReadAsync((session, cancel) => session.ReadStoredLeavesAsync(epoch, ordinal, max, cancel), cancellationToken);

    /// <summary>
    /// Reads the value of a committed leaf or a copy; returns null when the value was erased or destroyed, or when the leaf does not exist.
    /// </summary>
    public Task<ReadOnlyMemory<byte>?> ReadValueAsync(LeafPlace place, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(place);
        (Sql sql, Parameter[] key) = place.Period is ulong period
            ? (Statements.CopyValueAt, (Parameter[])[Parameter.Create("period", period), Parameter.Create("number", place.Ordinal)])
            : (Statements.ValueAt, (Parameter[])[Parameter.Create("epoch", place.Epoch), Parameter.Create("ordinal", place.Ordinal)]);
        return Database.ReadAsync(
            (session, cancel) => session.FirstAsync<ReadOnlyMemory<byte>?>(sql, rows => rows.GetBytes(0), cancel, key), cancellationToken);
    }

    /// <summary>
    /// Stores the signed checkpoint of a committed epoch in the row that has this epoch and record hash. Throws
    /// <see cref="StorageFencedException"/> when no such row exists or the fence has changed.
    /// </summary>
    public virtual async Task StoreCheckpointAsync(
        Lease lease, ulong epoch, ReadOnlyMemory<byte> recordHash, ReadOnlyMemory<byte> checkpoint, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(lease);
        ArgumentOutOfRangeException.ThrowIfZero(checkpoint.Length);
        bool stored = await ChangeOneAsync(
            Statements.StoreCheckpoint,
            cancellationToken,
            Parameter.Create("checkpoint", checkpoint),
            Parameter.Create("epoch", epoch),
            Parameter.Create("hash", recordHash),
            Parameter.Create("fence", lease.Fence),
            Parameter.Create("holder", lease.Holder));
        if (!stored)
        {
            throw new StorageFencedException(
                $"The checkpoint of epoch {epoch} was not stored: the lease is lost, or that epoch has another record.");
        }
    }

    /// <summary>
    /// Sets the published epoch in the head row to the given <paramref name="epoch"/>. Before the call, the head row must have the lease's
    /// fence, and its published epoch must be the previous epoch or already the given one; otherwise throws
    /// <see cref="StorageFencedException"/>.
    /// </summary>
    public async Task PublishAsync(Lease lease, ulong epoch, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(lease);
        if (!await ChangeOneAsync(Statements.Publish, cancellationToken, Parameter.Create("epoch", epoch),
            Parameter.Create("fence", lease.Fence), Parameter.Create("holder", lease.Holder)))
        {
            throw new StorageFencedException(
                $"Epoch {epoch} was not published: the lease is lost, or it is not the last epoch, or it is not signed.");
        }
    }

    /// <summary>
    /// Deletes requests with their outcomes, at most <paramref name="maxRequests"/> of them, and returns the number of deleted requests. It
    /// deletes only requests that are not pending and whose ids have a time that is more than <see cref="Limits.RequestRetention"/> ago by
    /// the database's clock.
    /// </summary>
    public Task<int> PurgeRequestsAsync(Lease lease, int maxRequests, CancellationToken cancellationToken) => Database.WriteAsync(
        async (session, cancel) =>
        {
            if (await session.ChangeAsync(
                Statements.HoldLease, cancel, Parameter.Create("fence", lease.Fence), Parameter.Create("holder", lease.Holder)) != 1)
            {
                throw new StorageFencedException("Old requests were not purged: the lease is lost.");
            }
            byte[] bound = new byte[RequestIds.Length];
            RequestIds.WriteLowerBound(await ReadClockAsync(session, cancel) - Limits.RequestRetention, bound);
            Parameter[] oldest = [Parameter.Create("bound", RequestIds.Read(bound)), Parameter.Create("max", maxRequests)];
            if (Statements.ForgetOutcomes is { } forgetOutcomes)
            {
                _ = await session.ChangeAsync(forgetOutcomes, cancel, oldest);
            }
            return new WriteResult<int>(await session.ChangeAsync(Statements.ForgetRequests, cancel, oldest), Commit: true);
        },
        resolve: null,
        cancellationToken);

    /// <summary>
    /// Reads the leaves, values, request ids and outcomes of the committed epoch that is not published yet, so that the update-task can
    /// finish it after a crash. Returns null when there is no such epoch.
    /// </summary>
    public Task<EpochContent?> ReadUnpublishedAsync(CancellationToken cancellationToken) => Database.ReadAsync(
        async (session, cancel) => await session.ReadHeadAsync(cancel) is { Epoch: ulong epoch } head && head.PublishedEpoch != epoch
            ? await EpochReader.ReadAsync(session, epoch, cancel)
            : null,
        cancellationToken);

    /// <inheritdoc/>
    protected override ulong? LastVisible(HeadRow head) => head.Epoch;

    // Runs a transaction that writes an epoch. If the database's answer to the commit is lost, looks for the epoch's row in the database:
    // the commit took effect exactly if this row is there (docs/pipeline.md invariant 3).
    private protected Task<CommitResult> CommitAsync(
        Func<ISession, CancellationToken, Task<bool>> tryWrite, EpochRow epoch, CancellationToken cancellationToken) =>
        CommitAsync(tryWrite, (session, cancel) => EpochReader.HasEpochAsync(session, epoch, cancel), cancellationToken);

    // Runs a transaction that writes copies. If the database's answer to the commit is lost, looks for the last of the copies in the
    // database: the commit took effect exactly if this copy is there.
    private protected async Task<StageResult> StageAsync(
        Func<ISession, CancellationToken, Task<StageResult>> write, CopyBatch copies, CancellationToken cancellationToken)
    {
        StageResult written = StageResult.Fenced;
        CommitResult commit = await CommitAsync(
            async (session, cancel) => (written = await write(session, cancel)) == StageResult.Staged,
            (session, cancel) => CopyReader.HasLastAsync(session, copies, cancel),
            cancellationToken);
        return commit switch
        {
            CommitResult.Committed => StageResult.Staged,
            CommitResult.Unknown => StageResult.Unknown,
            // If another holder has already written rows with these numbers, the transaction failed, even if the work returned `Staged`.
            // The caller has then lost the lease.
            _ => written == StageResult.SourceErased ? written : StageResult.Fenced,
        };
    }

    private async Task<CommitResult> CommitAsync(
        Func<ISession, CancellationToken, Task<bool>> tryWrite, Func<ISession, CancellationToken, Task<bool>> isStored,
        CancellationToken cancellationToken)
    {
        try
        {
            return await Database.WriteAsync(
                async (session, cancel) =>
                {
                    bool kept = await tryWrite(session, cancel);
                    return new WriteResult<CommitResult>(kept ? CommitResult.Committed : CommitResult.Fenced, kept);
                },
                session => ResolveAsync(session, isStored),
                cancellationToken);
        }
        catch (StorageCorruptException e) when (Database.IsDuplicate(e))
        {
            // The duplicate means that another holder has already written this epoch's rows or copies with these numbers. So this holder
            // has lost the lease, although its transaction failed before it checked the head row.
            return CommitResult.Fenced;
        }
    }

    // Determines whether the write of a lost session took effect. Returns null if it did not take effect and never will.
    private async Task<WriteResult<CommitResult>?> ResolveAsync(int session, Func<ISession, CancellationToken, Task<bool>> isStored)
    {
        long start = TimeProvider.System.GetTimestamp();
        while (true)
        {
            try
            {
                bool stored = await Database.ReadAfterAsync(session, isStored);
                return stored ? new WriteResult<CommitResult>(CommitResult.Committed, Commit: true) : null;
            }
            catch (StorageException) when (TimeProvider.System.GetElapsedTime(start) < ResolveTime)
            {
                await Task.Delay(ResolveInterval);
            }
            catch (StorageException)
            {
                return new WriteResult<CommitResult>(CommitResult.Unknown, Commit: false);
            }
        }
    }

    // Runs a statement whose condition matches at most one row, and returns whether it changed that row.
    private Task<bool> ChangeOneAsync(Sql sql, CancellationToken cancellationToken, params Parameter[] parameters) =>
        Database.WriteOneAsync(async (session, cancel) => await session.ChangeAsync(sql, cancel, parameters) == 1, cancellationToken);
}
