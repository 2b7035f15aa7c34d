namespace Optiks.Storage;

/// <summary>Brings a database to this build's schema: numbered, forward-only, under a lock that a second migrator waits for.</summary>
public interface IMigrator
{
    /// <summary>Location of the database for its operator, without secrets.</summary>
    string Location { get; }

    /// <summary>Version of the schema that this build needs.</summary>
    int TargetVersion { get; }

    /// <summary>Reads the version of the database; 0 when it does not exist or is empty.</summary>
    Task<int> ReadVersionAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Applies what is missing, each migration in a transaction of its own, and returns the names of those applied. A database newer than
    /// <see cref="TargetVersion"/> is a <see cref="StorageMisconfiguredException"/>.
    /// </summary>
    Task<IReadOnlyList<string>> MigrateAsync(CancellationToken cancellationToken);

    /// <summary>FindGapsAsync says, in a sentence each, what migrating could not do for lack of rights, and who can. Most engines need none.</summary>
    Task<IReadOnlyList<string>> FindGapsAsync(CancellationToken cancellationToken) => Task.FromResult<IReadOnlyList<string>>([]);
}
