namespace Optiks.Storage.Driver;

/// <summary>Implements the update-task's store.</summary>
public class PipelineStore : FollowStore, IPipelineStore
{
    // When the result of a commit is unknown, the store tries for this time to find it out, because the server may be restarting or failing
    // over.
    private static readonly TimeSpan ResolveTime = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan ResolveInterval = TimeSpan.FromMilliseconds(200);

    /// <summary>Creates a store on a database. The store later disposes of the database object.</summary>
    public PipelineStore(IDatabase database)
        : base(database)
    {
    }

    /// <inheritdoc/>
    public bool WritesAlone => Database.HasOneWriter;

    /// <inheritdoc/>
    public async Task<Lease?> AcquireLeaseAsync(string holder, TimeSpan duration, CancellationToken cancellationToken)
    {
        ArgumentException.ThrowIfNullOrEmpty(holder);
        // End the old holder's sessions before this store updates the head row: an old holder that was paused just before its commit still
        // holds the row's lock. No two stores have the same session name, so no session of another store is ended.
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

    /// <inheritdoc/>
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

    /// <inheritdoc/>
    public Task ReleaseLeaseAsync(Lease lease, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(lease);
        return ChangeOneAsync(Statements.ReleaseLease, cancellationToken, Parameter.Create("fence", lease.Fence), Parameter.Create("holder", lease.Holder));
    }

    /// <inheritdoc/>
    public async Task CreateGenesisAsync(Lease lease, EpochRow genesis, PeriodRow period, CancellationToken cancellationToken)
    {
        if (genesis.Epoch != 0 || !genesis.Checkpoint.IsEmpty || genesis.RecordHash.Length != 32 || period is not { Period: 0, FirstEpoch: 0, State: PeriodState.Current })
        {
            throw new ArgumentException("The genesis epoch is epoch 0, unsigned, and starts the first period.");
        }
        CommitResult result = await CommitAsync((session, cancel) => EpochWriter.TryWriteGenesisAsync(session, lease, genesis, period, cancel), genesis, cancellationToken);
        if (result == CommitResult.Fenced)
        {
            throw new StorageFencedException("The genesis epoch was not written: the lease is lost, or the database has an epoch already.");
        }
        if (result == CommitResult.Unknown)
        {
            throw new StorageUnavailableException("The genesis epoch may or may not have been written: read the head before anything else.");
        }
    }

    /// <inheritdoc/>
    public Task<PeriodRow> BeginPeriodAsync(Lease lease, ulong period, ReadOnlyMemory<byte> wrappedSecrets, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(lease);
        ArgumentOutOfRangeException.ThrowIfZero(wrappedSecrets.Length);
        return Database.WriteAsync(
            async (session, cancel) => new WriteResult<PeriodRow>(
                await PeriodWriter.BeginAsync(session, lease, period, wrappedSecrets, cancel)
                    ?? throw new StorageFencedException($"Period {period} was not begun: the lease is lost, another period is the one that follows, or the key-encryption key was rotated meanwhile."),
                Commit: true),
            resolve: null,
            cancellationToken);
    }

    /// <inheritdoc/>
    public Task<StageResult> StageCopiesAsync(Lease lease, CopyBatch copies, CancellationToken cancellationToken)
    {
        copies.ThrowIfInconsistent();
        return StageAsync((session, cancel) => PeriodWriter.StageAsync(session, lease, copies, cancel), copies, cancellationToken);
    }

    /// <inheritdoc/>
    public Task<ulong?> ReadRequestedSwitchAsync(CancellationToken cancellationToken) =>
        Database.ReadAsync((session, cancel) => session.FirstAsync<ulong?>(Statements.RequestedSwitch, rows => rows.GetUInt64(0), cancel), cancellationToken);

    /// <inheritdoc/>
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

    /// <inheritdoc/>
    public Task<bool> DestroyAsync(Lease lease, ulong period, int maxValues, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(lease);
        ArgumentOutOfRangeException.ThrowIfLessThan(maxValues, 1);
        return Database.WriteAsync(
            async (session, cancel) => new WriteResult<bool>(
                await PeriodWriter.DestroyAsync(session, lease, period, maxValues, cancel)
                    ?? throw new StorageFencedException($"Period {period} was not destroyed: the lease is lost, or its secrets are still there."),
                Commit: true),
            resolve: null,
            cancellationToken);
    }

    /// <inheritdoc/>
    public Task ReadPendingAsync(PendingSelection selection, CancellationToken cancellationToken) => Database.ReadAsync(
        async (session, cancel) =>
        {
            await session.ReadPendingAsync(selection, cancel);
            return selection;
        },
        cancellationToken);

    /// <inheritdoc/>
    public Task<long> CountPendingAsync(long atMost, CancellationToken cancellationToken) =>
        Database.ReadAsync((session, cancel) => session.FirstAsync(Statements.CountPending, rows => rows.GetInt64(0), cancel, Parameter.Create("atMost", atMost)), cancellationToken);

    /// <inheritdoc/>
    public Task<CommitResult> CommitEpochAsync(Lease lease, EpochCommit commit, CancellationToken cancellationToken)
    {
        commit.ThrowIfInconsistent();
        return CommitAsync((session, cancel) => EpochWriter.TryWriteAsync(session, lease, commit, cancel), commit.Epoch, cancellationToken);
    }

    /// <inheritdoc/>
    public Task<IReadOnlyList<LeafPlace?>> FindLeavesAsync(IReadOnlyList<LeafName> names, CancellationToken cancellationToken) => Database.ReadAsync<IReadOnlyList<LeafPlace?>>(
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

    /// <inheritdoc/>
    public Task<IReadOnlyList<int>> ReadSupersededAsync(ulong period, int first, int last, CancellationToken cancellationToken) =>
        Database.ReadAsync((session, cancel) => CopyReader.SupersededAsync(session, period, first, last, cancel), cancellationToken);

    /// <inheritdoc/>
    public Task<IReadOnlyList<StoredLeaf>> ReadLeavesAsync(ulong epoch, int ordinal, int max, CancellationToken cancellationToken) =>
        Database.ReadAsync((session, cancel) => session.ReadStoredLeavesAsync(epoch, ordinal, max, cancel), cancellationToken);

    /// <inheritdoc/>
    public Task<ReadOnlyMemory<byte>?> ReadValueAsync(LeafPlace place, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(place);
        (Sql sql, Parameter[] key) = place.Period is ulong period
            ? (Statements.CopyValueAt, (Parameter[])[Parameter.Create("period", period), Parameter.Create("number", place.Ordinal)])
            : (Statements.ValueAt, (Parameter[])[Parameter.Create("epoch", place.Epoch), Parameter.Create("ordinal", place.Ordinal)]);
        return Database.ReadAsync((session, cancel) => session.FirstAsync<ReadOnlyMemory<byte>?>(sql, rows => rows.GetBytes(0), cancel, key), cancellationToken);
    }

    /// <inheritdoc/>
    public async Task StoreCheckpointAsync(Lease lease, ulong epoch, ReadOnlyMemory<byte> recordHash, ReadOnlyMemory<byte> checkpoint, CancellationToken cancellationToken)
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
            throw new StorageFencedException($"The checkpoint of epoch {epoch} was not stored: the lease is lost, or that epoch has another record.");
        }
    }

    /// <inheritdoc/>
    public async Task PublishAsync(Lease lease, ulong epoch, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(lease);
        if (!await ChangeOneAsync(Statements.Publish, cancellationToken, Parameter.Create("epoch", epoch), Parameter.Create("fence", lease.Fence), Parameter.Create("holder", lease.Holder)))
        {
            throw new StorageFencedException($"Epoch {epoch} was not published: the lease is lost, or it is not the last epoch, or it is not signed.");
        }
    }

    /// <inheritdoc/>
    public Task<int> PurgeRequestsAsync(Lease lease, int maxRequests, CancellationToken cancellationToken) => Database.WriteAsync(
        async (session, cancel) =>
        {
            if (await session.ChangeAsync(Statements.HoldLease, cancel, Parameter.Create("fence", lease.Fence), Parameter.Create("holder", lease.Holder)) != 1)
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

    /// <inheritdoc/>
    public Task<EpochContent?> ReadUnpublishedAsync(CancellationToken cancellationToken) => Database.ReadAsync(
        async (session, cancel) => await session.ReadHeadAsync(cancel) is { Epoch: ulong epoch } head && head.PublishedEpoch != epoch
            ? await EpochReader.ReadAsync(session, epoch, cancel)
            : null,
        cancellationToken);

    /// <inheritdoc/>
    protected override ulong? LastVisible(HeadRow head) => head.Epoch;

    // Runs a transaction that writes an epoch. If the database's answer to the commit is lost, looks for the epoch's row in the database:
    // the commit took effect exactly if this row is there (docs/pipeline.md invariant 3).
    private protected Task<CommitResult> CommitAsync(Func<ISession, CancellationToken, Task<bool>> tryWrite, EpochRow epoch, CancellationToken cancellationToken) =>
        CommitAsync(tryWrite, (session, cancel) => EpochReader.HasEpochAsync(session, epoch, cancel), cancellationToken);

    // Runs a transaction that writes copies. If the database's answer to the commit is lost, looks for the last of the copies in the
    // database: the commit took effect exactly if this copy is there.
    private protected async Task<StageResult> StageAsync(Func<ISession, CancellationToken, Task<StageResult>> write, CopyBatch copies, CancellationToken cancellationToken)
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
            // If another holder has already written rows with these numbers, the transaction failed, even if the work returned Staged. The
            // caller is then fenced.
            _ => written == StageResult.SourceErased ? written : StageResult.Fenced,
        };
    }

    private async Task<CommitResult> CommitAsync(
        Func<ISession, CancellationToken, Task<bool>> tryWrite, Func<ISession, CancellationToken, Task<bool>> isStored, CancellationToken cancellationToken)
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
