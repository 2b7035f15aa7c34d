using Npgsql;
using Optiks.Storage.PostgreSql.Engine;

namespace Optiks.Storage.PostgreSql;

/// <summary>PostgreSqlPipelineStore is the update-task's view.</summary>
internal class PostgreSqlPipelineStore : PostgreSqlFollowStore, IPipelineStore
{
    // How long an unknown commit is looked for while the server restarts or fails over.
    private static readonly TimeSpan ResolveTime = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan ResolveInterval = TimeSpan.FromMilliseconds(200);

    private readonly AcceptFrontier _frontier = new();

    public PostgreSqlPipelineStore(Database database)
        : base(database)
    {
    }

    /// <inheritdoc/>
    public Task<Lease?> AcquireLeaseAsync(string holder, TimeSpan duration, CancellationToken cancellationToken)
    {
        ArgumentException.ThrowIfNullOrEmpty(holder);
        return Database.WriteAsync(
            async (connection, cancel) =>
            {
                await using var batch = new NpgsqlBatch(connection);
                // Before the row is touched: a predecessor paused just before its commit holds its lock. The name in the row is one store's own, so that neither a
                // reused process id nor a new connection of the old holder matters. At most two seconds are waited for the end of each session.
                _ = batch.Add(
                    """
                    SELECT pg_terminate_backend(a.pid, 2000) FROM head AS h JOIN pg_stat_activity AS a ON a.application_name = h.session
                    WHERE h.holder NOT IN ('', $1) AND h.lease_end <= clock_timestamp() AND h.session NOT IN ('', $2)
                    AND a.usename = current_user AND a.datname = current_database()
                    """,
                    Commands.Text(holder),
                    Commands.Text(Database.Session));
                _ = batch.Add(
                    """
                    UPDATE head SET fence = fence + 1, holder = $1, session = $2, lease_end = clock_timestamp() + $3
                    WHERE holder = '' OR holder = $1 OR lease_end <= clock_timestamp() RETURNING fence, lease_end
                    """,
                    Commands.Text(holder),
                    Commands.Text(Database.Session),
                    Commands.Interval(duration));
                await using NpgsqlDataReader reader = await batch.ExecuteReaderAsync(cancel);
                _ = await reader.NextResultAsync(cancel);
                Lease? lease = await reader.ReadAsync(cancel) ? new Lease(holder, reader.GetInt64(0), reader.Time(1)) : null;
                return new WriteResult<Lease?>(lease, Commit: lease is not null);
            },
            resolve: null,
            cancellationToken);
    }

    /// <inheritdoc/>
    public Task<bool> RenewLeaseAsync(Lease lease, TimeSpan duration, CancellationToken cancellationToken) => ExecuteAsync(
        "UPDATE head SET lease_end = clock_timestamp() + $1, session = $4 WHERE fence = $2 AND holder = $3",
        () => [Commands.Interval(duration), Commands.Bigint(lease.Fence), Commands.Text(lease.Holder), Commands.Text(Database.Session)],
        cancellationToken);

    /// <inheritdoc/>
    public Task ReleaseLeaseAsync(Lease lease, CancellationToken cancellationToken) => ExecuteAsync(
        "UPDATE head SET lease_end = 'epoch', holder = '', session = '' WHERE fence = $1 AND holder = $2",
        () => [Commands.Bigint(lease.Fence), Commands.Text(lease.Holder)],
        cancellationToken);

    /// <inheritdoc/>
    public async Task CreateGenesisAsync(Lease lease, EpochRow genesis, PeriodRow period, CancellationToken cancellationToken)
    {
        if (genesis.Epoch != 0 || !genesis.Checkpoint.IsEmpty || genesis.RecordHash.Length != 32 || period.FirstEpoch != 0)
        {
            throw new ArgumentException("The genesis epoch is epoch 0, unsigned, and starts the first period.");
        }
        CommitResult result = await CommitAsync((connection, cancel) => EpochWriter.TryWriteGenesisAsync(connection, lease, genesis, period, cancel), genesis, cancellationToken);
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
        Database.ReadAsync((connection, cancel) => PendingReader.ReadAsync(connection, selection, _frontier, cancel), cancellationToken);

    /// <inheritdoc/>
    public Task<long> CountPendingAsync(long atMost, CancellationToken cancellationToken) => Database.ReadAsync(
        async (connection, cancel) =>
        {
            await using NpgsqlCommand select = connection.Command("SELECT count(*) FROM (SELECT FROM pending LIMIT $1) AS p", Commands.Bigint(atMost));
            return (long)(await select.ExecuteScalarAsync(cancel))!;
        },
        cancellationToken);

    /// <inheritdoc/>
    public Task<CommitResult> CommitEpochAsync(Lease lease, EpochCommit commit, CancellationToken cancellationToken)
    {
        commit.ThrowIfInconsistent();
        return CommitAsync((connection, cancel) => EpochWriter.TryWriteAsync(connection, lease, commit, cancel), commit.Epoch, cancellationToken);
    }

    /// <inheritdoc/>
    public async Task StoreCheckpointAsync(Lease lease, ulong epoch, ReadOnlyMemory<byte> recordHash, ReadOnlyMemory<byte> checkpoint, CancellationToken cancellationToken)
    {
        ArgumentOutOfRangeException.ThrowIfZero(checkpoint.Length);
        // The head's row stays locked until the commit: no takeover comes in between.
        bool stored = await ExecuteAsync(
            """
            WITH mine AS (SELECT 1 FROM head WHERE fence = $4 AND holder = $5 FOR SHARE)
            UPDATE epoch SET checkpoint = $1 WHERE epoch = $2 AND record_hash = $3 AND EXISTS (SELECT FROM mine)
            """,
            () => [Commands.Bytea(checkpoint), Commands.Bigint(epoch), Commands.Bytea(recordHash), Commands.Bigint(lease.Fence), Commands.Text(lease.Holder)],
            cancellationToken);
        if (!stored)
        {
            throw new StorageFencedException($"The checkpoint of epoch {epoch} was not stored: the lease is lost, or that epoch has another record.");
        }
    }

    /// <inheritdoc/>
    public async Task PublishAsync(Lease lease, ulong epoch, CancellationToken cancellationToken)
    {
        // The table allows published_epoch = epoch or epoch - 1 alone, so this moves it by one or not at all. Whoever listens hears it with the commit.
        bool published = await ExecuteAsync(
            $"""
            WITH moved AS (
              UPDATE head SET published_epoch = $1 WHERE epoch = $1 AND fence = $2 AND holder = $3
              AND EXISTS (SELECT FROM epoch AS e WHERE e.epoch = $1 AND e.checkpoint IS NOT NULL) RETURNING published_epoch
            )
            SELECT pg_notify('{Listener.Published}', published_epoch::text) FROM moved
            """,
            () => [Commands.Bigint(epoch), Commands.Bigint(lease.Fence), Commands.Text(lease.Holder)],
            cancellationToken);
        if (!published)
        {
            throw new StorageFencedException($"Epoch {epoch} was not published: the lease is lost, or it is not the last epoch, or it is not signed.");
        }
    }

    /// <inheritdoc/>
    public Task<int> PurgeRequestsAsync(Lease lease, int maxRequests, CancellationToken cancellationToken) => Database.WriteAsync(
        async (connection, cancel) => new WriteResult<int>(await RequestPurge.RunAsync(connection, lease, maxRequests, cancel), Commit: true), resolve: null, cancellationToken);

    /// <inheritdoc/>
    public Task<EpochContent?> ReadUnpublishedAsync(CancellationToken cancellationToken) => Database.ReadAsync(
        async (connection, cancel) => await ReadHeadAsync(connection, cancel) is { Epoch: ulong epoch } head && head.PublishedEpoch != epoch
            ? await EpochReader.ReadAsync(connection, epoch, cancel)
            : null,
        cancellationToken);

    /// <inheritdoc/>
    protected override ulong? LastVisible(Head head) => head.Epoch;

    /// <summary>CommitAsync writes an epoch and, when the answer to its commit is lost, reads it (docs/pipeline.md invariant 3).</summary>
    protected async Task<CommitResult> CommitAsync(Func<NpgsqlConnection, CancellationToken, Task<bool>> tryWrite, EpochRow epoch, CancellationToken cancellationToken)
    {
        try
        {
            return await Database.WriteAsync(
                async (connection, cancel) =>
                {
                    bool kept = await tryWrite(connection, cancel);
                    return new WriteResult<CommitResult>(kept ? CommitResult.Committed : CommitResult.Fenced, kept);
                },
                process => ResolveAsync(process, epoch),
                cancellationToken);
        }
        catch (StorageCorruptException e) when (e.InnerException is PostgresException { SqlState: PostgresErrorCodes.UniqueViolation })
        {
            // Another holder's rows of this epoch: the head, which this transaction did not reach, has moved.
            return CommitResult.Fenced;
        }
    }

    // Null: the epoch is not there and never will be.
    private async Task<WriteResult<CommitResult>?> ResolveAsync(int process, EpochRow epoch)
    {
        long start = TimeProvider.System.GetTimestamp();
        while (true)
        {
            try
            {
                bool stored = await Database.WriteAsync(
                    async (connection, cancel) =>
                    {
                        await using var batch = new NpgsqlBatch(connection);
                        // The lost session may be at work still. It holds the head's row until its transaction has ended: with this lock there is no "not yet".
                        _ = batch.Add(
                            "SELECT pg_terminate_backend(pid, 2000) FROM pg_stat_activity WHERE pid = $1 AND application_name = $2 AND usename = current_user AND pid <> pg_backend_pid()",
                            Commands.Integer(process),
                            Commands.Text(Database.Session));
                        _ = batch.Add("SELECT 1 FROM head FOR UPDATE");
                        _ = await batch.ExecuteNonQueryAsync(cancel);
                        return new WriteResult<bool>(await EpochReader.HasRecordAsync(connection, epoch, cancel), Commit: false);
                    },
                    resolve: null,
                    CancellationToken.None);
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

    // One statement, one transaction; true when it touched exactly one row.
    private Task<bool> ExecuteAsync(string sql, Func<NpgsqlParameter[]> parameters, CancellationToken cancellationToken) => Database.WriteAsync(
        async (connection, cancel) =>
        {
            await using NpgsqlCommand command = connection.Command(sql, parameters());
            await using NpgsqlDataReader reader = await command.ExecuteReaderAsync(cancel);
            bool one = await reader.ReadAsync(cancel);
            await reader.CloseAsync();
            one |= reader.RecordsAffected == 1;
            return new WriteResult<bool>(one, Commit: one);
        },
        resolve: null,
        cancellationToken);
}
