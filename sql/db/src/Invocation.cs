using Optiks.Storage;

namespace Optiks.Db;

/// <summary>What each command about a database is run with. The connection string, which may hold a password, does not leave it.</summary>
internal sealed class Invocation(IStorageProvider provider, string connectionString, bool json, TextWriter output, TextWriter error)
{
    /// <summary>Provider's name, for the operator.</summary>
    public string Provider => provider.Name;

    /// <summary>Json instead of text.</summary>
    public bool Json => json;

    /// <summary>Output of the program.</summary>
    public TextWriter Output => output;

    /// <summary>Error output, which shows progress on a terminal.</summary>
    public TextWriter Error => error;

    /// <summary>Opens the database.</summary>
    public Task<IMaintenanceStore> OpenAsync(CancellationToken cancellationToken) => provider.OpenMaintenanceAsync(connectionString, cancellationToken);

    /// <summary>Opens it with the rights that query-services have.</summary>
    public Task<IFollowStore> OpenFollowAsync(CancellationToken cancellationToken) => provider.OpenFollowAsync(connectionString, cancellationToken);

    /// <summary>Opens it with the rights that the update-task has.</summary>
    public Task<IPipelineStore> OpenPipelineAsync(CancellationToken cancellationToken) => provider.OpenPipelineAsync(connectionString, cancellationToken);

    /// <summary>CreateMigrator of the database, which need not be there.</summary>
    public IMigrator CreateMigrator() => provider.CreateMigrator(connectionString);
}
