using Optiks.Storage.Sqlite.Engine;

namespace Optiks.Storage.Sqlite;

/// <summary>
/// Stores all data in one file, which the services of one machine share. The file is in WAL mode, and SQLite syncs it at every commit. An
/// example of a connection string is <c>Data Source=/path/optiks.db;Busy Timeout=5;Synchronous=FULL</c>; an empty string means
/// <see cref="DataFolder.Database"/> of the default data folder. SQLite has no roles. The query-service opens the file read-only; the
/// update-service and the update-task may write everything if the file's mode lets them.
/// </summary>
public sealed class SqliteStorageProvider : IStorageProvider
{
    private readonly TimeProvider _clock;

    /// <summary>Creates a provider whose databases use the machine's clock, or another clock that a test gives.</summary>
    public SqliteStorageProvider(TimeProvider? clock = null) => _clock = clock ?? TimeProvider.System;

    /// <inheritdoc/>
    public string Name => "sqlite";

    /// <inheritdoc/>
    public Task<IAcceptStore> OpenAcceptAsync(string connectionString, CancellationToken cancellationToken) =>
        Task.Run<IAcceptStore>(() => new SqliteAcceptStore(Open(connectionString)), cancellationToken);

    /// <inheritdoc/>
    public Task<PipelineStore> OpenPipelineAsync(string connectionString, CancellationToken cancellationToken) =>
        Task.Run<PipelineStore>(() => new PipelineStore(Open(connectionString)), cancellationToken);

    /// <inheritdoc/>
    public Task<IFollowStore> OpenFollowAsync(string connectionString, CancellationToken cancellationToken) =>
        Task.Run<IFollowStore>(() => new FollowStore(Open(connectionString, writes: false)), cancellationToken);

    /// <inheritdoc/>
    public Task<MaintenanceStore> OpenMaintenanceAsync(string connectionString, CancellationToken cancellationToken) =>
        Task.Run<MaintenanceStore>(() => new MaintenanceStore(Open(connectionString)), cancellationToken);

    /// <inheritdoc/>
    public Migrator CreateMigrator(string connectionString) => new SqliteMigrator(Settings(connectionString));

    private SqliteSettings Settings(string connectionString) => SqliteSettings.Parse(connectionString) with { Clock = _clock };

    private Database Open(string connectionString, bool writes = true) => Database.Open(Settings(connectionString), writes);
}
