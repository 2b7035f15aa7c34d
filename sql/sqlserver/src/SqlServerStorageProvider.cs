using System.Reflection;
using Optiks.Storage.SqlServer.Engine;

namespace Optiks.Storage.SqlServer;

/// <summary>
/// Stores all data in the schema <c>optiks</c> of one SQL Server database (2019 or newer), which must have READ_COMMITTED_SNAPSHOT on. The
/// connection string has the format of Microsoft.Data.SqlClient, such as <c>Server=db;Database=optiks;User
/// ID=optiks_update_service;Password=...</c>. Connections to another machine are always encrypted, and the driver verifies the server's
/// certificate. Migrating creates the roles <c>optiks_update</c>, <c>optiks_task</c> and <c>optiks_query</c>; the operator makes each
/// service's user a member of one of them. Without a synchronous replica of the database, a failover can lose commits.
/// </summary>
public sealed class SqlServerStorageProvider : IStorageProvider
{
    private readonly Action<string> _warn;

    /// <summary>
    /// Creates a provider. The stores that the provider opens call <paramref name="warn"/>, on any thread, with notices for the operator.
    /// If <paramref name="warn"/> is null, the stores drop these notices.
    /// </summary>
    public SqlServerStorageProvider(Action<string>? warn = null) => _warn = warn ?? (_ => { });

    /// <inheritdoc/>
    public string Name => "sqlserver";

    /// <inheritdoc/>
    public string? Notice { get; } = typeof(SqlServerStorageProvider).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>()
        .FirstOrDefault(data => data.Key == "SqlClientNotice")?.Value;

    /// <inheritdoc/>
    public async Task<IAcceptStore> OpenAcceptAsync(string connectionString, CancellationToken cancellationToken) =>
        new SqlServerAcceptStore(await OpenAsync(connectionString, "update", cancellationToken));

    /// <inheritdoc/>
    public async Task<PipelineStore> OpenPipelineAsync(string connectionString, CancellationToken cancellationToken) =>
        new PipelineStore(await OpenAsync(connectionString, "task", cancellationToken));

    /// <inheritdoc/>
    public async Task<IFollowStore> OpenFollowAsync(string connectionString, CancellationToken cancellationToken) =>
        new FollowStore(await OpenAsync(connectionString, "query", cancellationToken));

    /// <inheritdoc/>
    public async Task<MaintenanceStore> OpenMaintenanceAsync(string connectionString, CancellationToken cancellationToken) =>
        new MaintenanceStore(await OpenAsync(connectionString, "maintenance", cancellationToken));

    /// <inheritdoc/>
    public Migrator CreateMigrator(string connectionString) => new SqlServerMigrator(SqlServerSettings.Parse(connectionString, "migrate"));

    private Task<Database> OpenAsync(string connectionString, string role, CancellationToken cancellationToken) =>
        Database.OpenAsync(SqlServerSettings.Parse(connectionString, role), _warn, cancellationToken);
}
