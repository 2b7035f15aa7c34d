namespace Optiks.Storage;

/// <summary>Upgrades a database to this build's schema by numbered, forward-only migrations. If two migrators run at the same time, a lock
/// makes the second one wait.</summary>
public interface IMigrator
{
    /// <summary>The location of the database, without secrets, for messages to the operator.</summary>
    string Location { get; }

    /// <summary>The schema version that this build needs.</summary>
    int TargetVersion { get; }

    /// <summary>Reads the schema version of the database; returns 0 when the database does not exist or is empty.</summary>
    Task<int> ReadVersionAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Applies the missing migrations, each in its own transaction, and returns the names of the applied migrations. Throws
    /// <see cref="StorageMisconfiguredException"/> for a database newer than <see cref="TargetVersion"/>.
    /// </summary>
    Task<IReadOnlyList<string>> MigrateAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Returns one sentence for each migration step that the migrator could not take because it lacks a right. The sentence says which
    /// database user can take the step. Most engines have no such steps.
    /// </summary>
    Task<IReadOnlyList<string>> FindGapsAsync(CancellationToken cancellationToken) => Task.FromResult<IReadOnlyList<string>>([]);
}
