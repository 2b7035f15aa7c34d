using Optiks.Storage.Sqlite;

namespace Optiks.Storage.Tests;

/// <summary>Provides a log of three epochs, the second without leaves, for tests that do not change it.</summary>
public sealed class SampleLog : IAsyncLifetime
{
    /// <summary>The number of the log's newest epoch.</summary>
    public const ulong Newest = 3;

    internal TestLog Log { get; private set; } = null!;

    public async ValueTask InitializeAsync()
    {
        Log = await TestLog.CreateAsync();
        await Log.PublishAsync(("alice", "one"), ("bob", "his"));
        await Log.PublishAsync();
        await Log.PublishAsync(("alice", "two"), ("carol", "hers"), ("dave", "new"));
    }

    public async ValueTask DisposeAsync() => await Log.DisposeAsync();

    /// <summary>Opens a log's database in the role of the query-service.</summary>
    internal static Task<IFollowStore> OpenAsync(TestLog log) =>
        new SqliteStorageProvider().OpenFollowAsync($"Data Source={log.Folder.Database}", TestContext.Current.CancellationToken);
}
