namespace Optiks.Storage.Conformance;

/// <summary>Gives the suite an engine, and what it needs behind the contract's back.</summary>
public interface IStorageFixture
{
    /// <summary>Provider under test.</summary>
    IStorageProvider Provider { get; }

    /// <summary>Makes an empty database that was never migrated and returns its connection string.</summary>
    Task<string> CreateAsync();

    /// <summary>Makes one of the newest version without rows and returns its connection string.</summary>
    async Task<string> CreateMigratedAsync(CancellationToken cancellationToken)
    {
        string connectionString = await CreateAsync();
        _ = await Provider.CreateMigrator(connectionString).MigrateAsync(cancellationToken);
        return connectionString;
    }

    /// <summary>Removes it.</summary>
    Task DropAsync(string connectionString);

    /// <summary>Changes the id of a stored request, as if it had been accepted at another time.</summary>
    Task ReplaceRequestIdAsync(string connectionString, Guid present, Guid replacement);

    /// <summary>Deletes one pending row, as a restored database may lack it.</summary>
    Task DeletePendingAsync(string connectionString, long sequence, int item);

    /// <summary>Begins a transaction in a connection of its own, moves the head row to an epoch and goes away without committing.</summary>
    Task AbandonWriteAsync(string connectionString, ulong epoch);
}
