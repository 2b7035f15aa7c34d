namespace Optiks.Storage.Conformance;

/// <summary>Provides an engine to the suite, and operations that the storage contract lacks.</summary>
public interface IStorageFixture
{
    /// <summary>The provider of the engine under test.</summary>
    IStorageProvider Provider { get; }

    /// <summary>Creates an empty database that was never migrated, and returns its connection string.</summary>
    Task<string> CreateAsync();

    /// <summary>Creates a database with the newest schema and without rows, and returns its connection string.</summary>
    async Task<string> CreateMigratedAsync(CancellationToken cancellationToken)
    {
        string connectionString = await CreateAsync();
        _ = await Provider.CreateMigrator(connectionString).MigrateAsync(cancellationToken);
        return connectionString;
    }

    /// <summary>Removes a database.</summary>
    Task DropAsync(string connectionString);

    /// <summary>Changes the id of a stored request, so that the request looks as if it had been accepted at another time.</summary>
    Task ReplaceRequestIdAsync(string connectionString, Guid present, Guid replacement);

    /// <summary>Deletes one pending row, so that the database looks like an older copy.</summary>
    Task DeletePendingAsync(string connectionString, long sequence, int item);

    /// <summary>
    /// Begins a transaction on a new connection, moves the head row to an epoch, and closes the connection without a commit.
    /// </summary>
    Task AbandonWriteAsync(string connectionString, ulong epoch);
}
