using Optiks.Storage.Driver;
using Optiks.Storage.Sqlite.Engine;

namespace Optiks.Storage.Sqlite;

/// <summary>
/// Keeps everything in one file, which the services of one machine share. The file is in WAL mode and synced at every commit. Connection
/// string: <c>Data Source=/path/optiks.db;Busy Timeout=5;Synchronous=FULL</c>; an empty string means <see cref="DataFolder.Database"/> of
/// the default data folder. SQLite has no roles: the query-service opens the file read-only, and only the file's mode limits the
/// update-service and the update-task.
/// </summary>
public sealed class SqliteStorageProvider : IStorageProvider
{
    private readonly TimeProvider _clock;

    /// <summary>Creates a provider whose database uses the machine's clock, or another clock in tests.</summary>
    public SqliteStorageProvider(TimeProvider? clock = null) => _clock = clock ?? TimeProvider.System;

    /// <inheritdoc/>
    public string Name => "sqlite";

    /// <inheritdoc/>
    public Task<IAcceptStore> OpenAcceptAsync(string connectionString, CancellationToken cancellationToken) =>
        Task.Run<IAcceptStore>(() => new SqliteAcceptStore(Open(connectionString)), cancellationToken);

    /// <inheritdoc/>
    public Task<IPipelineStore> OpenPipelineAsync(string connectionString, CancellationToken cancellationToken) =>
        Task.Run<IPipelineStore>(() => new PipelineStore(Open(connectionString)), cancellationToken);

    /// <inheritdoc/>
    public Task<IFollowStore> OpenFollowAsync(string connectionString, CancellationToken cancellationToken) =>
        Task.Run<IFollowStore>(() => new FollowStore(Open(connectionString, writes: false)), cancellationToken);

    /// <inheritdoc/>
    public Task<IMaintenanceStore> OpenMaintenanceAsync(string connectionString, CancellationToken cancellationToken) =>
        Task.Run<IMaintenanceStore>(() => new MaintenanceStore(Open(connectionString)), cancellationToken);

    /// <inheritdoc/>
    public IMigrator CreateMigrator(string connectionString) => new SqliteMigrator(Settings(connectionString));

    private SqliteSettings Settings(string connectionString) => SqliteSettings.Parse(connectionString) with { Clock = _clock };

    private Database Open(string connectionString, bool writes = true) => Database.Open(Settings(connectionString), writes);
}
