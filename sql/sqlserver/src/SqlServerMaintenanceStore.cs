using Optiks.Storage.SqlServer.Engine;

namespace Optiks.Storage.SqlServer;

/// <summary>SqlServerMaintenanceStore is the view of <c>optiks-db</c>, which works as an owner of the database.</summary>
internal sealed class SqlServerMaintenanceStore : SqlServerPipelineStore, IMaintenanceStore
{
    public SqlServerMaintenanceStore(Database database, Action<string> warn)
        : base(database, warn)
    {
    }

    /// <inheritdoc/>
    public Task<IStorageSnapshot> OpenSnapshotAsync(CancellationToken cancellationToken) => SqlServerSnapshot.BeginAsync(Database, cancellationToken);

    /// <inheritdoc/>
    public Task<IStorageImport> BeginImportAsync(CancellationToken cancellationToken) => SqlServerImport.BeginAsync(Database, cancellationToken);

    /// <inheritdoc/>
    public Task<CommitResult> RestoreEpochAsync(Lease lease, EpochCommit commit, CancellationToken cancellationToken)
    {
        commit.ThrowIfInconsistent(restores: true);
        return CommitAsync((connection, cancel) => EpochWriter.TryRestoreAsync(connection, lease, commit, cancel), commit.Epoch, cancellationToken);
    }
}
