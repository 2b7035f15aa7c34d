namespace Optiks.Storage;

/// <summary>Brings a database to this build's schema by numbered, forward-only migrations. A lock makes a second migrator wait.</summary>
public interface IMigrator
{
    /// <summary>The location of the database, shown to its operator, without secrets.</summary>
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
    /// Returns one sentence for each step that the migration could not take for lack of rights. The sentence says who can take the step.
    /// Most engines have no such steps.
    /// </summary>
    Task<IReadOnlyList<string>> FindGapsAsync(CancellationToken cancellationToken) => Task.FromResult<IReadOnlyList<string>>([]);
}
