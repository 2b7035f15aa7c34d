namespace Optiks.Storage;

/// <summary>
/// IStorageProvider opens one engine's database in the role of one program. Opening checks that the schema's version is this build's and that no
/// setting loses commits (<see cref="StorageMisconfiguredException"/>); it never creates or changes anything. All stores are safe for
/// concurrent use unless a member says otherwise.
/// </summary>
public interface IStorageProvider
{
    /// <summary>Name in configuration and messages: <c>sqlite</c>, <c>postgresql</c>, <c>sqlserver</c>.</summary>
    string Name { get; }

    /// <summary>Notice is what an operator should know about the engine in this build, which programs print as a warning when it is chosen; null: nothing.</summary>
    string? Notice => null;

    /// <summary>OpenAcceptAsync opens the update-service's view.</summary>
    Task<IAcceptStore> OpenAcceptAsync(string connectionString, CancellationToken cancellationToken);

    /// <summary>OpenPipelineAsync opens the update-task's view.</summary>
    Task<IPipelineStore> OpenPipelineAsync(string connectionString, CancellationToken cancellationToken);

    /// <summary>OpenFollowAsync opens the query-service's view: read-only.</summary>
    Task<IFollowStore> OpenFollowAsync(string connectionString, CancellationToken cancellationToken);

    /// <summary>OpenMaintenanceAsync opens the view of <c>optiks-db</c>.</summary>
    Task<IMaintenanceStore> OpenMaintenanceAsync(string connectionString, CancellationToken cancellationToken);

    /// <summary>CreateMigrator gives what <c>optiks-db migrate</c> uses; services never do.</summary>
    IMigrator CreateMigrator(string connectionString);
}
