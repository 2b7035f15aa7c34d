using Optiks.Storage;
using Optiks.UpdateTask.Board;
using Optiks.UpdateTask.Tests.Support;

namespace Optiks.UpdateTask.Tests;

/// <summary>Tests that one epoch can contain many updates, and that a restarted task loads all of them from the database.</summary>
[Trait("Level", "Deep")]
public sealed class BigEpochTests
{
    [Fact]
    public async Task A_hundred_thousand_updates_make_one_epoch_and_load_again()
    {
        const int Count = 100_000;
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        AcceptRequest[] requests = [.. Enumerable.Range(0, Count).Select(i => Updates.Request(Updates.Item($"key {i}", $"value {i}")))];
        foreach (AcceptRequest[] chunk in requests.Chunk(20_000))
        {
            await updates.AcceptAsync(chunk);
        }
        await using (TaskHost task = await TaskHost.StartAsync(folder))
        {
            await task.StepAsync();
            Assert.Equal(1UL, task.Session.Last.Epoch);
            Assert.Equal(Count,
                EpochBundle.Decode(File.ReadAllBytes(Path.Combine(new BoardFolder(folder.Data).Bundles, "1.bundle"))).Outcomes.Count);
        }
        await using (TaskHost task = await TaskHost.StartAsync(folder))
        {
            Assert.Equal((ulong)Count, task.Session.Directory.Stats.Leaves);
            Assert.Equal(0, await task.Store.CountPendingAsync(TestContext.Current.CancellationToken));
        }
    }
}
