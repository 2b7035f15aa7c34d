namespace Optiks.Storage;

/// <summary>
/// Opens one engine's database in the role of one program. Opening throws <see cref="StorageMisconfiguredException"/> unless the schema has
/// the version that this build needs and the settings keep every commit durable. Opening never creates or changes anything. All stores are
/// safe for concurrent use, except where a member's comment says otherwise.
/// </summary>
public interface IStorageProvider
{
    /// <summary>The engine's name in configuration and messages: <c>sqlite</c>, <c>postgresql</c>, <c>sqlserver</c>.</summary>
    string Name { get; }

    /// <summary>
    /// A notice about the engine in this build, which programs print as a warning when an operator chooses the engine; null if there is no
    /// notice.
    /// </summary>
    string? Notice => null;

    /// <summary>Opens the database in the update-service's role.</summary>
    Task<IAcceptStore> OpenAcceptAsync(string connectionString, CancellationToken cancellationToken);

    /// <summary>Opens the database in the update-task's role.</summary>
    Task<PipelineStore> OpenPipelineAsync(string connectionString, CancellationToken cancellationToken);

    /// <summary>Opens the database in the query-service's role, which is read-only.</summary>
    Task<IFollowStore> OpenFollowAsync(string connectionString, CancellationToken cancellationToken);

    /// <summary>Opens the database in the role of <c>optiks-db</c>.</summary>
    Task<MaintenanceStore> OpenMaintenanceAsync(string connectionString, CancellationToken cancellationToken);

    /// <summary>Creates the migrator for <c>optiks-db migrate</c>. Services never create one.</summary>
    Migrator CreateMigrator(string connectionString);
}
