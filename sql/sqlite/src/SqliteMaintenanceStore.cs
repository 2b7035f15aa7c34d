namespace Optiks.Storage.Sqlite;

/// <summary>SqliteMaintenanceStore is the view of <c>optiks-db</c>.</summary>
internal sealed class SqliteMaintenanceStore : SqlitePipelineStore, IMaintenanceStore
{
    private readonly SqliteSettings _settings;

    public SqliteMaintenanceStore(SqliteSettings settings, TimeProvider clock)
        : base(settings, clock) => _settings = settings;

    /// <inheritdoc/>
    public Task<IStorageSnapshot> OpenSnapshotAsync(CancellationToken cancellationToken) =>
        Task.Run<IStorageSnapshot>(() => new SqliteSnapshot(_settings), cancellationToken);

    /// <inheritdoc/>
    public Task<IStorageImport> BeginImportAsync(CancellationToken cancellationToken) =>
        Task.Run<IStorageImport>(() => new SqliteImport(_settings), cancellationToken);

    /// <inheritdoc/>
    public Task<CommitResult> RestoreEpochAsync(Lease lease, EpochCommit commit, CancellationToken cancellationToken)
    {
        commit.ThrowIfInconsistent(restores: true);
        return CommitAsync(connection => EpochWriter.TryRestore(connection, lease, commit), commit.Epoch, cancellationToken);
    }
}
