using Optiks.Storage.PostgreSql.Engine;

namespace Optiks.Storage.PostgreSql;

/// <summary>
/// Stores all data in the schema <c>optiks</c> of one PostgreSQL database (15 or newer). The connection string has Npgsql's format, such as
/// <c>Host=db;Database=optiks;Username=optiks_update_service;SSL Mode=VerifyFull</c>. Migrating creates the roles <c>optiks_update</c>,
/// <c>optiks_task</c> and <c>optiks_query</c>; the operator grants one of them to each service's user. Without a synchronous standby, a
/// failover can lose commits.
/// </summary>
public sealed class PostgreSqlStorageProvider : IStorageProvider
{
    /// <inheritdoc/>
    public string Name => "postgresql";

    /// <inheritdoc/>
    public async Task<IAcceptStore> OpenAcceptAsync(string connectionString, CancellationToken cancellationToken) =>
        new PostgreSqlAcceptStore(await Database.OpenAsync(PostgreSqlSettings.Parse(connectionString, "update"), cancellationToken));

    /// <inheritdoc/>
    public async Task<PipelineStore> OpenPipelineAsync(string connectionString, CancellationToken cancellationToken) =>
        new PipelineStore(await Database.OpenAsync(PostgreSqlSettings.Parse(connectionString, "task"), cancellationToken));

    /// <inheritdoc/>
    public async Task<IFollowStore> OpenFollowAsync(string connectionString, CancellationToken cancellationToken) =>
        new FollowStore(await Database.OpenAsync(PostgreSqlSettings.Parse(connectionString, "query"), cancellationToken));

    /// <inheritdoc/>
    public async Task<MaintenanceStore> OpenMaintenanceAsync(string connectionString, CancellationToken cancellationToken) =>
        new MaintenanceStore(await Database.OpenAsync(PostgreSqlSettings.Parse(connectionString, "maintenance"), cancellationToken));

    /// <inheritdoc/>
    public Migrator CreateMigrator(string connectionString) =>
        new PostgreSqlMigrator(PostgreSqlSettings.Parse(connectionString, "migrate"));
}
