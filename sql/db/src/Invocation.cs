using Optiks.Storage;

namespace Optiks.Db;

/// <summary>
/// Holds the context in which a database command runs. No member returns the connection string, because it may contain a password.
/// </summary>
internal sealed class Invocation(IStorageProvider provider, string connectionString, bool json, TextWriter output, TextWriter error)
{
    /// <summary>The name of the database's engine, for messages to the operator.</summary>
    public string Provider => provider.Name;

    /// <summary>Whether the command prints JSON instead of text.</summary>
    public bool Json => json;

    /// <summary>The standard output of the program.</summary>
    public TextWriter Output => output;

    /// <summary>The error output, on which commands show their progress if it is a terminal.</summary>
    public TextWriter Error => error;

    /// <summary>Opens the database with the rights of the operator's tool.</summary>
    public Task<MaintenanceStore> OpenAsync(CancellationToken cancellationToken) =>
        provider.OpenMaintenanceAsync(connectionString, cancellationToken);

    /// <summary>Opens the database with the rights of query-services.</summary>
    public Task<IFollowStore> OpenFollowAsync(CancellationToken cancellationToken) =>
        provider.OpenFollowAsync(connectionString, cancellationToken);

    /// <summary>Opens the database with the rights of the update-task.</summary>
    public Task<PipelineStore> OpenPipelineAsync(CancellationToken cancellationToken) =>
        provider.OpenPipelineAsync(connectionString, cancellationToken);

    /// <summary>Creates a migrator for the database, which need not exist yet.</summary>
    public Migrator CreateMigrator() => provider.CreateMigrator(connectionString);
}
