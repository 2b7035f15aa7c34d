namespace Optiks.Storage.Driver;

/// <summary>Implements the store of <c>optiks-db</c>, which connects to the database as the owner of the tables.</summary>
public sealed class MaintenanceStore : PipelineStore, IMaintenanceStore
{
    /// <summary>Creates a store on a database. The store later disposes of the database object.</summary>
    public MaintenanceStore(IDatabase database)
        : base(database)
    {
    }

    /// <inheritdoc/>
    public async Task<IConsistentRead> OpenConsistentReadAsync(CancellationToken cancellationToken) => new ConsistentRead(Statements, await Database.BeginConsistentReadAsync(cancellationToken));

    /// <inheritdoc/>
    public async Task<IStorageImport> BeginImportAsync(CancellationToken cancellationToken)
    {
        ITransaction transaction = await Database.BeginImportAsync(cancellationToken);
        try
        {
            return await transaction.RunAsync(session => session.FirstAsync(Statements.HasRows, rows => rows.GetBoolean(0), cancellationToken), cancellationToken)
                ? throw new StorageMisconfiguredException($"The database {Database.Location} is not empty: import into a new one, made by 'optiks-db migrate'.")
                : new Import(Statements, transaction);
        }
        catch
        {
            await transaction.DisposeAsync();
            throw;
        }
    }

    /// <inheritdoc/>
    public Task<CommitResult> RestoreEpochAsync(Lease lease, EpochCommit commit, CancellationToken cancellationToken)
    {
        commit.ThrowIfInconsistent(restores: true);
        return CommitAsync((session, cancel) => EpochWriter.TryRestoreAsync(session, lease, commit, cancel), commit.Epoch, cancellationToken);
    }

    /// <inheritdoc/>
    public Task RequestSwitchAsync(ulong period, CancellationToken cancellationToken) => Database.WriteAsync(
        async (session, cancel) =>
        {
            PeriodRow current = PeriodRows.Current(await session.ListAsync(Statements.Periods, StoredRows.Period, cancel));
            if (period != current.Period + 1)
            {
                throw new ArgumentException($"Period {period} cannot begin now: the log is in period {current.Period}.", nameof(period));
            }
            // If the period has begun before this write, the request is already fulfilled, and the statement writes nothing.
            return new WriteResult<int>(await session.ChangeAsync(Statements.RequestSwitch, cancel, Parameter.Create("period", period)), Commit: true);
        },
        resolve: null,
        cancellationToken);

    /// <inheritdoc/>
    public Task<bool> RewrapSecretsAsync(ulong period, ReadOnlyMemory<byte> before, ReadOnlyMemory<byte> after, CancellationToken cancellationToken)
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

    /// <inheritdoc/>
    public Task<StageResult> RestoreCopiesAsync(Lease lease, CopyBatch copies, CancellationToken cancellationToken)
    {
        copies.ThrowIfInconsistent(restores: true);
        return StageAsync((session, cancel) => PeriodWriter.RestoreAsync(session, lease, copies, cancel), copies, cancellationToken);
    }
}
