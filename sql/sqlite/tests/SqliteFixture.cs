using Optiks.Storage.Conformance;
using Optiks.Storage.Sqlite.Engine;

namespace Optiks.Storage.Sqlite.Tests;

/// <summary>Creates a SQLite database for each test, in a folder of its own.</summary>
public sealed class SqliteFixture : IStorageFixture
{
    public IStorageProvider Provider { get; } = new SqliteStorageProvider();

    public Task<string> CreateAsync() =>
        Task.FromResult($"Data Source={Path.Combine(Directory.CreateTempSubdirectory("optiks-sqlite-").FullName, "optiks.db")}");

    public Task DropAsync(string connectionString)
    {
        Directory.Delete(Path.GetDirectoryName(PathOf(connectionString))!, recursive: true);
        return Task.CompletedTask;
    }

    public Task ReplaceRequestIdAsync(string connectionString, Guid present, Guid replacement)
    {
        using Connection connection = Open(connectionString);
        using Statement update = connection.Prepare("UPDATE request SET request_id = ? WHERE request_id = ?");
        Assert.Equal(1, update.Bind(1, replacement).Bind(2, present).Execute());
        return Task.CompletedTask;
    }

    public Task DeletePendingAsync(string connectionString, long sequence, int item)
    {
        using Connection connection = Open(connectionString);
        using Statement delete = connection.Prepare("DELETE FROM pending WHERE id = ?");
        Assert.Equal(1, delete.Bind(1, RowIds.Item(sequence, item)).Execute());
        return Task.CompletedTask;
    }

    public Task AbandonWriteAsync(string connectionString, ulong epoch)
    {
        using Connection connection = Open(connectionString);
        connection.Execute("BEGIN IMMEDIATE");
        using Statement update = connection.Prepare("UPDATE head SET epoch = ?, published_epoch = NULL");
        Assert.Equal(1, update.Bind(1, epoch).Execute());
        return Task.CompletedTask;
    }

    internal static Connection Open(string connectionString) => Connection.Open(SqliteSettings.Parse(connectionString), readOnly: false);

    internal static string PathOf(string connectionString) => SqliteSettings.Parse(connectionString).Path;
}
