using Npgsql;
using Optiks.Storage.PostgreSql.Engine;

namespace Optiks.Storage.PostgreSql;

/// <summary>PostgreSqlMaintenanceStore is the view of <c>optiks-db</c>, which works as the owner of the tables.</summary>
internal sealed class PostgreSqlMaintenanceStore : PostgreSqlPipelineStore, IMaintenanceStore
{
    public PostgreSqlMaintenanceStore(Database database)
        : base(database)
    {
    }

    /// <inheritdoc/>
    public async Task<IStorageSnapshot> OpenSnapshotAsync(CancellationToken cancellationToken)
    {
        NpgsqlConnection connection = await Database.OpenConnectionAsync(cancellationToken);
        return await KeepAsync(connection, () => PostgreSqlSnapshot.BeginAsync(Database, connection, cancellationToken));
    }

    /// <inheritdoc/>
    public async Task<IStorageImport> BeginImportAsync(CancellationToken cancellationToken)
    {
        NpgsqlConnection connection = await Database.OpenConnectionAsync(cancellationToken);
        return await KeepAsync(connection, () => PostgreSqlImport.BeginAsync(Database, connection, cancellationToken));
    }

    /// <inheritdoc/>
    public Task<CommitResult> RestoreEpochAsync(Lease lease, EpochCommit commit, CancellationToken cancellationToken)
    {
        commit.ThrowIfInconsistent(restores: true);
        return CommitAsync((connection, cancel) => EpochWriter.TryRestoreAsync(connection, lease, commit, cancel), commit.Epoch, cancellationToken);
    }

    private async Task<T> KeepAsync<T>(NpgsqlConnection connection, Func<Task<T>> begin)
    {
        try
        {
            return await Database.TranslateAsync(begin);
        }
        catch
        {
            await connection.DisposeAsync();
            throw;
        }
    }
}
