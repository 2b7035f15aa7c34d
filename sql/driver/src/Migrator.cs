namespace Optiks.Storage.Driver;

/// <summary>
/// Brings a database to a schema's version, one migration after another, each in its own transaction. A lock makes a second migrator wait.
/// </summary>
public abstract class Migrator : IMigrator
{
    private readonly Schema _schema;

    /// <summary>Creates a migrator to the newest version of a schema.</summary>
    protected Migrator(Schema schema) => _schema = schema;

    /// <inheritdoc/>
    public abstract string Location { get; }

    /// <inheritdoc/>
    public int TargetVersion => _schema.TargetVersion;

    /// <summary>Records a migration; parameters: version, name.</summary>
    protected abstract Sql InsertMigration { get; }

    /// <inheritdoc/>
    public abstract Task<int> ReadVersionAsync(CancellationToken cancellationToken);

    /// <inheritdoc/>
    public async Task<IReadOnlyList<string>> MigrateAsync(CancellationToken cancellationToken)
    {
        await using IDatabase database = await OpenAsync(cancellationToken);
        var applied = new List<string>();
        while (await database.WriteAsync(ApplyNextAsync, resolve: null, cancellationToken) is string name)
        {
            applied.Add(name);
            cancellationToken.ThrowIfCancellationRequested();
        }
        await CheckAsync(database, cancellationToken);
        return applied;
    }

    /// <inheritdoc/>
    public virtual Task<IReadOnlyList<string>> FindGapsAsync(CancellationToken cancellationToken) => Task.FromResult<IReadOnlyList<string>>([]);

    /// <summary>Opens the database, whatever its version is.</summary>
    protected abstract Task<IDatabase> OpenAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Takes the migrators' lock in a transaction, which holds the lock until it ends. Waits while another migrator holds the lock.
    /// </summary>
    protected abstract Task LockAsync(ISession session, CancellationToken cancellationToken);

    /// <summary>Reads the version; returns 0 when the database does not have this project's schema.</summary>
    protected abstract Task<int> ReadVersionAsync(ISession session, CancellationToken cancellationToken);

    /// <summary>Creates the table that records migrations.</summary>
    protected abstract Task CreateAsync(ISession session, CancellationToken cancellationToken);

    /// <summary>Runs a script.</summary>
    protected abstract Task RunAsync(ISession session, string script, CancellationToken cancellationToken);

    /// <summary>Throws when a service cannot work with the migrated database.</summary>
    protected abstract Task CheckAsync(IDatabase database, CancellationToken cancellationToken);

    // Returns null when no migration is missing. The version is read under the lock, so a migrator that waited finds the version that the
    // other migrator left.
    private async Task<WriteResult<string?>> ApplyNextAsync(ISession session, CancellationToken cancellationToken)
    {
        await LockAsync(session, cancellationToken);
        int version = await ReadVersionAsync(session, cancellationToken);
        _schema.ThrowIfNewer(version, Location);
        if (version == TargetVersion)
        {
            if (_schema.Grants is string grants)
            {
                await RunAsync(session, grants, cancellationToken);
            }
            return new WriteResult<string?>(null, Commit: true);
        }
        if (version == 0)
        {
            await CreateAsync(session, cancellationToken);
        }
        (string name, string script) = _schema.Migrations[version];
        await RunAsync(session, script, cancellationToken);
        _ = await session.ChangeAsync(InsertMigration, cancellationToken, Parameter.Create("version", version + 1), Parameter.Create("name", name));
        return new WriteResult<string?>(name, Commit: true);
    }
}
