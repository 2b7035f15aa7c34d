using Optiks.Storage.Sqlite.Engine;

namespace Optiks.Storage.Sqlite;

/// <summary>SqlitePipelineStore is the update-task's view.</summary>
internal class SqlitePipelineStore : SqliteFollowStore, IPipelineStore
{
    private readonly Writer _writer;

    public SqlitePipelineStore(SqliteSettings settings, TimeProvider clock)
        : base(settings, clock) => _writer = new Writer(settings);

    /// <inheritdoc/>
    public Task<Lease?> AcquireLeaseAsync(string holder, TimeSpan duration, CancellationToken cancellationToken)
    {
        ArgumentException.ThrowIfNullOrEmpty(holder);
        return WriteAsync(
            connection =>
            {
                DateTimeOffset now = Now();
                using Statement update = connection.Prepare(
                    "UPDATE head SET fence = fence + 1, holder = ?1, lease_end = ?2 WHERE holder = '' OR holder = ?1 OR lease_end <= ?3 RETURNING fence");
                update.Bind(1, holder).Bind(2, (now + duration).ToUnixTimeMilliseconds()).Bind(3, now.ToUnixTimeMilliseconds());
                return update.Step() ? new Lease(holder, update.Long(0), now + duration) : null;
            },
            cancellationToken);
    }

    /// <inheritdoc/>
    public Task<bool> RenewLeaseAsync(Lease lease, TimeSpan duration, CancellationToken cancellationToken) => WriteAsync(
        connection =>
        {
            using Statement update = connection.Prepare("UPDATE head SET lease_end = ? WHERE fence = ? AND holder = ?");
            return update.Bind(1, (Now() + duration).ToUnixTimeMilliseconds()).Bind(2, lease.Fence).Bind(3, lease.Holder).Execute() == 1;
        },
        cancellationToken);

    /// <inheritdoc/>
    public Task ReleaseLeaseAsync(Lease lease, CancellationToken cancellationToken) => WriteAsync(
        connection =>
        {
            using Statement update = connection.Prepare("UPDATE head SET lease_end = 0, holder = '' WHERE fence = ? AND holder = ?");
            return update.Bind(1, lease.Fence).Bind(2, lease.Holder).Execute();
        },
        cancellationToken);

    /// <inheritdoc/>
    public async Task CreateGenesisAsync(Lease lease, EpochRow genesis, PeriodRow period, CancellationToken cancellationToken)
    {
        if (genesis.Epoch != 0 || !genesis.Checkpoint.IsEmpty || genesis.RecordHash.Length != 32 || period.FirstEpoch != 0)
        {
            throw new ArgumentException("The genesis epoch is epoch 0, unsigned, and starts the first period.");
        }
        CommitResult result = await CommitAsync(connection => EpochWriter.TryWriteGenesis(connection, lease, genesis, period), genesis, cancellationToken);
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
    public Task ReadPendingAsync(PendingSelection selection, CancellationToken cancellationToken) =>
        Readers.RunAsync(connection => PendingReader.Read(connection, selection), cancellationToken);

    /// <inheritdoc/>
    public Task<long> CountPendingAsync(long atMost, CancellationToken cancellationToken) => Readers.RunAsync(
        connection =>
        {
            using Statement count = connection.Prepare("SELECT count(*) FROM (SELECT 1 FROM pending LIMIT ?)");
            _ = count.Bind(1, atMost).Step();
            return count.Long(0);
        },
        cancellationToken);

    /// <inheritdoc/>
    public Task<CommitResult> CommitEpochAsync(Lease lease, EpochCommit commit, CancellationToken cancellationToken)
    {
        commit.ThrowIfInconsistent();
        return CommitAsync(connection => EpochWriter.TryWrite(connection, lease, commit), commit.Epoch, cancellationToken);
    }

    /// <inheritdoc/>
    public Task StoreCheckpointAsync(Lease lease, ulong epoch, ReadOnlyMemory<byte> recordHash, ReadOnlyMemory<byte> checkpoint, CancellationToken cancellationToken)
    {
        ArgumentOutOfRangeException.ThrowIfZero(checkpoint.Length);
        return WriteAsync(
            connection =>
            {
                using Statement update = connection.Prepare(
                    "UPDATE epoch SET checkpoint = ? WHERE epoch = ? AND record_hash = ? AND EXISTS (SELECT 1 FROM head WHERE fence = ? AND holder = ?)");
                update.Bind(1, checkpoint.Span).Bind(2, epoch).Bind(3, recordHash.Span).Bind(4, lease.Fence).Bind(5, lease.Holder);
                return update.Execute() == 1
                    ? true
                    : throw new StorageFencedException($"The checkpoint of epoch {epoch} was not stored: the lease is lost, or that epoch has another record.");
            },
            cancellationToken);
    }

    /// <inheritdoc/>
    public Task PublishAsync(Lease lease, ulong epoch, CancellationToken cancellationToken) => WriteAsync(
        connection =>
        {
            // The table allows published_epoch = epoch or epoch - 1 alone, so this moves it by one or not at all.
            using Statement update = connection.Prepare(
                """
                UPDATE head SET published_epoch = ?1 WHERE epoch = ?1 AND fence = ?2 AND holder = ?3
                AND EXISTS (SELECT 1 FROM epoch WHERE epoch = ?1 AND checkpoint IS NOT NULL)
                """);
            return update.Bind(1, epoch).Bind(2, lease.Fence).Bind(3, lease.Holder).Execute() == 1
                ? true
                : throw new StorageFencedException($"Epoch {epoch} was not published: the lease is lost, or it is not the last epoch, or it is not signed.");
        },
        cancellationToken);

    /// <inheritdoc/>
    public Task<int> PurgeRequestsAsync(Lease lease, int maxRequests, CancellationToken cancellationToken) =>
        WriteAsync(connection => RequestPurge.Run(connection, lease, Now() - Limits.RequestRetention, maxRequests), cancellationToken);

    /// <inheritdoc/>
    public Task<EpochContent?> ReadUnpublishedAsync(CancellationToken cancellationToken) => Readers.RunAsync(
        connection => ReadHead(connection) is { Epoch: ulong epoch } head && head.PublishedEpoch != epoch ? EpochReader.Read(connection, epoch) : null,
        cancellationToken);

    /// <inheritdoc/>
    public override async ValueTask DisposeAsync()
    {
        await _writer.DisposeAsync();
        await base.DisposeAsync();
    }

    /// <inheritdoc/>
    protected override ulong? LastVisible(Head head) => head.Epoch;

    // A commit whose answer is an error may be durable: the epoch's row says so (docs/pipeline.md invariant 3).
    protected async Task<CommitResult> CommitAsync(Func<Connection, bool> tryWrite, EpochRow epoch, CancellationToken cancellationToken)
    {
        bool unknown = false;
        bool written = await _writer.RunAsync(
            connection =>
            {
                bool kept = tryWrite(connection);
                return new WriteResult<bool>(kept, Commit: kept);
            },
            connection =>
            {
                try
                {
                    return EpochReader.HasRecord(connection, epoch);
                }
                catch (StorageException)
                {
                    unknown = true;
                    return true;
                }
            },
            cancellationToken);
        return unknown ? CommitResult.Unknown : written ? CommitResult.Committed : CommitResult.Fenced;
    }

    private Task<T> WriteAsync<T>(Func<Connection, T> work, CancellationToken cancellationToken) =>
        _writer.RunAsync(connection => new WriteResult<T>(work(connection), Commit: true), wasCommitted: null, cancellationToken);
}
