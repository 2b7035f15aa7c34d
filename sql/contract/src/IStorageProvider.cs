namespace Optiks.Storage;

/// <summary>
/// Opens one engine's database in the role of one program. Opening throws <see cref="StorageMisconfiguredException"/> unless the schema has
/// the version that this build needs and no setting loses commits. Opening never creates or changes anything. All stores are safe for
/// concurrent use unless a member says otherwise.
/// </summary>
public interface IStorageProvider
{
    /// <summary>The name in configuration and messages: <c>sqlite</c>, <c>postgresql</c>, <c>sqlserver</c>.</summary>
    string Name { get; }

    /// <summary>
    /// A notice about the engine in this build, which programs print as a warning when the engine is chosen; null for no notice.
    /// </summary>
    string? Notice => null;

    /// <summary>Opens the database in the update-service's role.</summary>
    Task<IAcceptStore> OpenAcceptAsync(string connectionString, CancellationToken cancellationToken);

    /// <summary>Opens the database in the update-task's role.</summary>
    Task<IPipelineStore> OpenPipelineAsync(string connectionString, CancellationToken cancellationToken);

    /// <summary>Opens the database in the query-service's role, which is read-only.</summary>
    Task<IFollowStore> OpenFollowAsync(string connectionString, CancellationToken cancellationToken);

    /// <summary>Opens the database in the role of <c>optiks-db</c>.</summary>
    Task<IMaintenanceStore> OpenMaintenanceAsync(string connectionString, CancellationToken cancellationToken);

    /// <summary>Creates the migrator that <c>optiks-db migrate</c> uses; services never use it.</summary>
    IMigrator CreateMigrator(string connectionString);
}
