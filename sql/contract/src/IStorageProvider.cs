namespace Optiks.Storage;

/// <summary>
/// Opens one engine's database in the role of one program. Opening checks that the schema's version is this build's and that no
/// setting loses commits (<see cref="StorageMisconfiguredException"/>); it never creates or changes anything. All stores are safe for
/// concurrent use unless a member says otherwise.
/// </summary>
public interface IStorageProvider
{
    /// <summary>Name in configuration and messages: <c>sqlite</c>, <c>postgresql</c>, <c>sqlserver</c>.</summary>
    string Name { get; }

    /// <summary>What an operator should know about the engine in this build, which programs print as a warning when it is chosen; null: nothing.</summary>
    string? Notice => null;

    /// <summary>Opens the update-service's view.</summary>
    Task<IAcceptStore> OpenAcceptAsync(string connectionString, CancellationToken cancellationToken);

    /// <summary>Opens the update-task's view.</summary>
    Task<IPipelineStore> OpenPipelineAsync(string connectionString, CancellationToken cancellationToken);

    /// <summary>Opens the query-service's view: read-only.</summary>
    Task<IFollowStore> OpenFollowAsync(string connectionString, CancellationToken cancellationToken);

    /// <summary>Opens the view of <c>optiks-db</c>.</summary>
    Task<IMaintenanceStore> OpenMaintenanceAsync(string connectionString, CancellationToken cancellationToken);

    /// <summary>Gives what <c>optiks-db migrate</c> uses; services never do.</summary>
    IMigrator CreateMigrator(string connectionString);
}
