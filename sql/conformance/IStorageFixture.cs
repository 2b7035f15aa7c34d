namespace Optiks.Storage.Conformance;

/// <summary>IStorageFixture gives the suite an engine, and what it needs behind the contract's back.</summary>
public interface IStorageFixture
{
    /// <summary>Provider under test.</summary>
    IStorageProvider Provider { get; }

    /// <summary>CreateAsync makes an empty database that was never migrated and returns its connection string.</summary>
    Task<string> CreateAsync();

    /// <summary>CreateMigratedAsync makes one of the newest version without rows and returns its connection string.</summary>
    async Task<string> CreateMigratedAsync(CancellationToken cancellationToken)
    {
        string connectionString = await CreateAsync();
        _ = await Provider.CreateMigrator(connectionString).MigrateAsync(cancellationToken);
        return connectionString;
    }

    /// <summary>DropAsync removes it.</summary>
    Task DropAsync(string connectionString);

    /// <summary>ReplaceRequestIdAsync changes the id of a stored request, as if it had been accepted at another time.</summary>
    Task ReplaceRequestIdAsync(string connectionString, Guid present, Guid replacement);

    /// <summary>DeletePendingAsync deletes one pending row, as a restored database may lack it.</summary>
    Task DeletePendingAsync(string connectionString, long sequence, int item);

    /// <summary>AbandonWriteAsync begins a transaction in a connection of its own, moves the head row to an epoch and goes away without committing.</summary>
    Task AbandonWriteAsync(string connectionString, ulong epoch);
}
