namespace Optiks.Storage.Conformance;

/// <summary>Gives the suite an engine, and the operations that the contract does not have.</summary>
public interface IStorageFixture
{
    /// <summary>The provider under test.</summary>
    IStorageProvider Provider { get; }

    /// <summary>Creates an empty database that was never migrated, and returns its connection string.</summary>
    Task<string> CreateAsync();

    /// <summary>Creates a database of the newest version without rows, and returns its connection string.</summary>
    async Task<string> CreateMigratedAsync(CancellationToken cancellationToken)
    {
        string connectionString = await CreateAsync();
        _ = await Provider.CreateMigrator(connectionString).MigrateAsync(cancellationToken);
        return connectionString;
    }

    /// <summary>Removes a database.</summary>
    Task DropAsync(string connectionString);

    /// <summary>Changes the id of a stored request, as if it had been accepted at another time.</summary>
    Task ReplaceRequestIdAsync(string connectionString, Guid present, Guid replacement);

    /// <summary>Deletes one pending row, as if the database came from an older copy.</summary>
    Task DeletePendingAsync(string connectionString, long sequence, int item);

    /// <summary>
    /// Begins a transaction on a new connection, moves the head row to an epoch, and closes the connection without a commit.
    /// </summary>
    Task AbandonWriteAsync(string connectionString, ulong epoch);
}
