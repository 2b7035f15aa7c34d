using Microsoft.Data.SqlClient;
using Optiks.Storage.SqlServer.Engine;

namespace Optiks.Storage.SqlServer;

/// <summary>SqlServerPipelineStore is the update-task's view.</summary>
internal class SqlServerPipelineStore : SqlServerFollowStore, IPipelineStore
{
    private const string IsFree = "(Holder = N'' OR Holder = @holder OR LeaseEnd <= SYSUTCDATETIME())";

    // How long an unknown commit is looked for while the server restarts or fails over.
    private static readonly TimeSpan ResolveTime = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan ResolveInterval = TimeSpan.FromMilliseconds(200);

    // A standby that may not have the lease does not wait for its holder's commits. The end is counted from after the wait.
    private static readonly Statement s_acquire = new(
        $"""
        IF EXISTS (SELECT 1 FROM optiks.Head WHERE {IsFree})
        BEGIN
          {Fencing.Lock};
          UPDATE optiks.Head SET Fence = Fence + 1, Holder = @holder, Session = @session, LeaseEnd = DATEADD(millisecond, @duration, SYSUTCDATETIME()) WHERE {IsFree};
          IF @@ROWCOUNT = 1 SELECT Fence, LeaseEnd FROM optiks.Head;
        END
        """);

    private static readonly Statement s_renew = new(
        $"{Fencing.Lock}; UPDATE optiks.Head SET LeaseEnd = DATEADD(millisecond, @duration, SYSUTCDATETIME()), Session = @session WHERE Fence = @fence AND Holder = @holder");

    private static readonly Statement s_release = new(
        "UPDATE optiks.Head SET LeaseEnd = '1970-01-01', Holder = N'', Session = N'' WHERE Fence = @fence AND Holder = @holder");

    private static readonly Statement s_countPending = new("SELECT COUNT_BIG(*) FROM (SELECT TOP (@atMost) Seq FROM optiks.Pending) AS p");

    private static readonly Statement s_storeCheckpoint = new(
        "UPDATE optiks.Epoch SET [Checkpoint] = @checkpoint WHERE Epoch = @epoch AND RecordHash = @hash AND DATALENGTH(RecordHash) = DATALENGTH(@hash)");

    // The table allows PublishedEpoch = Epoch or Epoch - 1 alone, so this moves it by one or not at all.
    private static readonly Statement s_publish = new(
        """
        UPDATE optiks.Head SET PublishedEpoch = @epoch WHERE Epoch = @epoch AND Fence = @fence AND Holder = @holder
        AND EXISTS (SELECT 1 FROM optiks.Epoch AS e WHERE e.Epoch = @epoch AND e.[Checkpoint] IS NOT NULL)
        """);

    private readonly Sessions _sessions;

    /// <summary>SqlServerPipelineStore that tells <paramref name="warn"/> what its operator should know.</summary>
    public SqlServerPipelineStore(Database database, Action<string> warn)
        : base(database) => _sessions = new Sessions(warn);

    /// <inheritdoc/>
    public async Task<Lease?> AcquireLeaseAsync(string holder, TimeSpan duration, CancellationToken cancellationToken)
    {
        ArgumentException.ThrowIfNullOrEmpty(holder);
        // Before the row is touched: a predecessor paused just before its commit holds its lock. The name in the row is one store's own, so that neither a reused session id nor a new connection of
        // the old holder matters.
        await Database.ReadAsync<object?>(
            async (connection, cancel) =>
            {
                await _sessions.EndOfExpiredHolderAsync(connection, holder, Database.Session, cancel);
                return null;
            },
            cancellationToken);
        return await Database.WriteAsync(
            async (connection, cancel) =>
            {
                Lease? lease = null;
                await foreach (SqlDataReader reader in connection.RowsAsync(
                    s_acquire, cancel, Parameters.Text("@holder", holder), Parameters.Text("@session", Database.Session), Duration(duration)))
                {
                    lease = new Lease(holder, reader.GetInt64(0), reader.Time(1));
                }
                return new WriteResult<Lease?>(lease, Commit: lease is not null);
            },
            resolve: null,
            cancellationToken);
    }

    /// <inheritdoc/>
    public Task<bool> RenewLeaseAsync(Lease lease, TimeSpan duration, CancellationToken cancellationToken) => ExecuteAsync(
        s_renew, () => [Duration(duration), Parameters.Text("@session", Database.Session), .. LeaseParameters(lease)], cancellationToken);

    /// <inheritdoc/>
    public Task ReleaseLeaseAsync(Lease lease, CancellationToken cancellationToken) => ExecuteAsync(s_release, () => LeaseParameters(lease), cancellationToken);

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
        Database.ReadAsync((connection, cancel) => PendingReader.ReadAsync(connection, selection, cancel), cancellationToken);

    /// <inheritdoc/>
    public Task<long> CountPendingAsync(long atMost, CancellationToken cancellationToken) =>
        Database.ReadAsync(async (connection, cancel) => (long)(await connection.ScalarAsync(s_countPending, cancel, Parameters.Bigint("@atMost", atMost)))!, cancellationToken);

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
        bool stored = await Database.WriteAsync(
            async (connection, cancel) =>
            {
                bool one = await Fencing.HoldAsync(connection, lease, cancel)
                    && await connection.ChangeAsync(
                        s_storeCheckpoint,
                        cancel,
                        Parameters.Binary("@checkpoint", checkpoint),
                        Parameters.Bigint("@epoch", epoch),
                        Parameters.Binary("@hash", recordHash)) == 1;
                return new WriteResult<bool>(one, Commit: one);
            },
            resolve: null,
            cancellationToken);
        if (!stored)
        {
            throw new StorageFencedException($"The checkpoint of epoch {epoch} was not stored: the lease is lost, or that epoch has another record.");
        }
    }

    /// <inheritdoc/>
    public async Task PublishAsync(Lease lease, ulong epoch, CancellationToken cancellationToken)
    {
        if (!await ExecuteAsync(s_publish, () => [Parameters.Bigint("@epoch", epoch), .. LeaseParameters(lease)], cancellationToken))
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
    protected async Task<CommitResult> CommitAsync(Func<Connection, CancellationToken, Task<bool>> tryWrite, EpochRow epoch, CancellationToken cancellationToken)
    {
        try
        {
            return await Database.WriteAsync(
                async (connection, cancel) =>
                {
                    bool kept = await tryWrite(connection, cancel);
                    return new WriteResult<CommitResult>(kept ? CommitResult.Committed : CommitResult.Fenced, kept);
                },
                session => ResolveAsync(session, epoch),
                cancellationToken);
        }
        catch (StorageCorruptException e) when (SqlServerErrors.IsDuplicate(e.InnerException))
        {
            // Another holder's rows of this epoch: the head, which this transaction did not reach, has moved.
            return CommitResult.Fenced;
        }
    }

    private static SqlParameter[] LeaseParameters(Lease lease) => [Parameters.Bigint("@fence", lease.Fence), Parameters.Text("@holder", lease.Holder)];

    private static SqlParameter Duration(TimeSpan duration) => Parameters.Int("@duration", checked((int)duration.TotalMilliseconds));

    // Null: the epoch is not there and never will be.
    private async Task<WriteResult<CommitResult>?> ResolveAsync(int session, EpochRow epoch)
    {
        long start = TimeProvider.System.GetTimestamp();
        while (true)
        {
            try
            {
                await Database.ReadAsync<object?>(
                    async (connection, cancel) =>
                    {
                        await _sessions.EndAsync(connection, session, Database.Session, cancel);
                        return null;
                    },
                    CancellationToken.None);
                bool stored = await Database.WriteAsync(
                    async (connection, cancel) =>
                    {
                        // The lost session may be at work still. It holds the head's row until its transaction has ended: with this lock there is no "not yet".
                        await Fencing.LockAsync(connection, cancel);
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
    private Task<bool> ExecuteAsync(Statement statement, Func<SqlParameter[]> parameters, CancellationToken cancellationToken) => Database.WriteAsync(
        async (connection, cancel) =>
        {
            bool one = await connection.ChangeAsync(statement, cancel, parameters()) == 1;
            return new WriteResult<bool>(one, Commit: one);
        },
        resolve: null,
        cancellationToken);
}
