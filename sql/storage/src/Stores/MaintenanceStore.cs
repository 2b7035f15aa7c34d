namespace Optiks.Storage;

/// <summary>
/// Performs the operations of the role of <c>optiks-db</c>, the operator's tool, which connects to the database as the owner of the tables.
/// This role extends the update-task's role with operations that no service may perform.
/// </summary>
public sealed class MaintenanceStore : PipelineStore
{
    /// <summary>Creates a store on a database. The store later disposes of the database object.</summary>
    public MaintenanceStore(IDatabase database)
        : base(database)
    {
    }

    /// <summary>
    /// Begins to read all stored rows as of one point in time. The caller must dispose of the result before it disposes of the store.
    /// </summary>
    public async Task<ConsistentRead> OpenConsistentReadAsync(CancellationToken cancellationToken) =>
        new ConsistentRead(Statements, await Database.BeginConsistentReadAsync(cancellationToken));

    /// <summary>
    /// Begins to import rows into a migrated, empty database. Throws <see cref="StorageMisconfiguredException"/> when the database is not
    /// empty.
    /// </summary>
    public async Task<StorageImport> BeginImportAsync(CancellationToken cancellationToken)
    {
        ITransaction transaction = await Database.BeginImportAsync(cancellationToken);
        try
        {
            return await transaction.RunAsync(
                session => session.FirstAsync(Statements.HasRows, rows => rows.GetBoolean(0), cancellationToken), cancellationToken)
                ? throw new StorageMisconfiguredException(
                    $"The database {Database.Location} is not empty: import into a new one, made by 'optiks-db migrate'.")
                : new StorageImport(Statements, transaction);
        }
        catch
        {
            await transaction.DisposeAsync();
            throw;
        }
    }

    /// <summary>
    /// Writes an epoch that a newer copy of this database had committed. The write is one transaction, with the same condition on the head
    /// row as <see cref="PipelineStore.CommitEpochAsync"/>.
    /// </summary>
    /// <remarks>
    /// The call finds requests by their ids, because the sequence numbers in the given <paramref name="commit"/> are those of the newer
    /// copy. A request that this database already has keeps its sequence number, and the call deletes the pending row of every decided
    /// item. A request that this database lacks is added with a new number. Values may be missing because they were erased
    /// (<see cref="Optiks.Native.LeafRow.NoValue"/>). The values that the epoch erases may be missing before the call, and the call deletes
    /// those that exist. If the database has a request with the same id and another body hash, the call writes nothing and throws
    /// <see cref="StorageCorruptException"/>.
    /// </remarks>
    public Task<CommitResult> RestoreEpochAsync(Lease lease, EpochCommit commit, CancellationToken cancellationToken)
    {
        commit.ThrowIfInconsistent(restores: true);
        return CommitAsync((session, cancel) => EpochWriter.TryRestoreAsync(session, lease, commit, cancel), commit.Epoch,
            cancellationToken);
    }

    /// <summary>
    /// Asks the update-task to begin the period as soon as the protocol allows it (<see cref="PipelineStore.ReadRequestedSwitchAsync"/>).
    /// Callers may repeat the call. Throws <see cref="ArgumentException"/> unless the period is the one after the current period.
    /// </summary>
    public Task RequestSwitchAsync(ulong period, CancellationToken cancellationToken) => Database.WriteAsync(
        async (session, cancel) =>
        {
            PeriodRow current = PeriodRows.Current(await session.ListAsync(Statements.Periods, StoredRows.Period, cancel));
            if (period != current.Period + 1)
            {
                throw new ArgumentException($"Period {period} cannot begin now: the log is in period {current.Period}.", nameof(period));
            }
            // If the period has begun before this write, the request is already fulfilled, and the statement writes nothing.
            return new WriteResult<int>(
                await session.ChangeAsync(Statements.RequestSwitch, cancel, Parameter.Create("period", period)), Commit: true);
        },
        resolve: null,
        cancellationToken);

    /// <summary>
    /// Replaces a period's wrapped secrets by new ones (<paramref name="after"/>) in one transaction, but only if they still equal the old
    /// ones (<paramref name="before"/>). Returns whether they were equal. Callers may repeat the call. The comparison is needed because a
    /// running update-task may end periods and destroy their secrets. No period begins during the call. When a period begins later, its
    /// secrets are wrapped by the same key as the current period's secrets (<see cref="PipelineStore.BeginPeriodAsync"/>).
    /// </summary>
    /// <param name="period">Number of the period.</param>
    /// <param name="before">The wrapped secrets that the caller has read from the database.</param>
    /// <param name="after">The same secrets, wrapped by another key.</param>
    /// <param name="cancellationToken">Ends the wait for other writers.</param>
    public Task<bool> RewrapSecretsAsync(
        ulong period, ReadOnlyMemory<byte> before, ReadOnlyMemory<byte> after, CancellationToken cancellationToken)
    {
        ArgumentOutOfRangeException.ThrowIfZero(before.Length);
        ArgumentOutOfRangeException.ThrowIfZero(after.Length);
        return Database.WriteAsync(
            async (session, cancel) =>
            {
                bool done = await PeriodWriter.RewrapAsync(session, period, before, after, cancel);
                return new WriteResult<bool>(done, Commit: done);
            },
            resolve: null,
            cancellationToken);
    }

    /// <summary>
    /// Adds rows of copies that a newer copy of the database had staged and that this database lacks. The call has the same conditions as
    /// <see cref="PipelineStore.StageCopiesAsync"/>. Values may be missing because they were erased.
    /// </summary>
    public Task<StageResult> RestoreCopiesAsync(Lease lease, CopyBatch copies, CancellationToken cancellationToken)
    {
        copies.ThrowIfInconsistent(restores: true);
        return StageAsync((session, cancel) => PeriodWriter.RestoreAsync(session, lease, copies, cancel), copies, cancellationToken);
    }
}
