using Optiks.Storage;
using Optiks.UpdateTask.Tests.Support;

namespace Optiks.UpdateTask.Tests;

/// <summary>An epoch of many updates, loaded again by a restart.</summary>
public sealed class BigEpochTests
{
    [Fact]
    public async Task Thousands_of_updates_make_one_epoch_and_load_again()
    {
        const int Count = 4000;
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        AcceptRequest[] requests = [.. Enumerable.Range(0, Count).Select(i => Updates.Request(Updates.Item($"key {i}", $"value {i}")))];
        foreach (AcceptRequest[] chunk in requests.Chunk(1000))
        {
            await updates.AcceptAsync(chunk);
        }
        await using (TaskHost task = await TaskHost.StartAsync(folder))
        {
            await task.StepAsync();
            Assert.Equal(1UL, task.Session.Last.Epoch);
        }
        await using (TaskHost task = await TaskHost.StartAsync(folder))
        {
            Assert.Equal((ulong)Count, task.Session.Directory.Stats.Leaves);
            Assert.Equal(0, await task.Store.CountPendingAsync(TestContext.Current.CancellationToken));
        }
    }
}
