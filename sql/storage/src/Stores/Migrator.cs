namespace Optiks.Storage;

/// <summary>
/// Upgrades a database to this build's schema by numbered, forward-only migrations. If two migrators run at the same time, a lock makes the
/// second one wait.
/// </summary>
public abstract class Migrator
{
    private readonly Schema _schema;

    /// <summary>Creates a migrator that upgrades to the newest version of a schema.</summary>
    protected Migrator(Schema schema) => _schema = schema;

    /// <summary>The location of the database, without secrets, for messages to the operator.</summary>
    public abstract string Location { get; }

    /// <summary>The schema version that this build needs.</summary>
    public int TargetVersion => _schema.TargetVersion;

    /// <summary>The statement that records a migration, with the parameters version and name.</summary>
    protected abstract Sql InsertMigration { get; }

    /// <summary>Reads the schema version of the database; returns 0 when the database does not exist or is empty.</summary>
    public abstract Task<int> ReadVersionAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Applies the missing migrations, each in its own transaction, and returns the names of the applied migrations. Throws
    /// <see cref="StorageMisconfiguredException"/> for a database newer than <see cref="TargetVersion"/>.
    /// </summary>
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

    /// <summary>
    /// Returns one sentence for each migration step that the migrator could not take because it lacks a right. The sentence says which
    /// database user can take the step. Most engines have no such steps.
    /// </summary>
    public virtual Task<IReadOnlyList<string>> FindGapsAsync(CancellationToken cancellationToken) =>
        Task.FromResult<IReadOnlyList<string>>([]);

    /// <summary>Opens the database without checking its schema version.</summary>
    protected abstract Task<IDatabase> OpenAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Takes the lock that excludes other migrators, in a transaction that holds the lock until it ends. Waits while another migrator holds
    /// the lock.
    /// </summary>
    protected abstract Task LockAsync(ISession session, CancellationToken cancellationToken);

    /// <summary>Reads the version; returns 0 when the database does not have this project's schema.</summary>
    protected abstract Task<int> ReadVersionAsync(ISession session, CancellationToken cancellationToken);

    /// <summary>Creates the table that records migrations.</summary>
    protected abstract Task CreateAsync(ISession session, CancellationToken cancellationToken);

    /// <summary>Runs all statements of a script.</summary>
    protected abstract Task RunAsync(ISession session, string script, CancellationToken cancellationToken);

    /// <summary>Throws if the settings of the migrated database do not allow a service to work with it.</summary>
    protected abstract Task CheckAsync(IDatabase database, CancellationToken cancellationToken);

    // Applies the next missing migration and returns its name; returns null if no migration is missing. It reads the version while it holds
    // the lock. So a migrator that waited for another one finds the version that the other one left.
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
        _ = await session.ChangeAsync(
            InsertMigration, cancellationToken, Parameter.Create("version", version + 1), Parameter.Create("name", name));
        return new WriteResult<string?>(name, Commit: true);
    }
}
