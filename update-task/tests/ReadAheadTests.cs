using Optiks.Storage;
using Optiks.UpdateTask.Options;
using Optiks.UpdateTask.Tests.Support;

namespace Optiks.UpdateTask.Tests;

/// <summary>
/// Tests that the task reads the updates of the next epoch in advance: while the previous epoch is committed, and until the next epoch is
/// due. Because of this, no update may be lost, published twice, or overtaken by a later update of its key.
/// </summary>
public sealed class ReadAheadTests
{
    [Fact]
    public async Task A_backlog_is_worked_off_in_order_without_waiting()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        await AcceptBacklogAsync(updates);
        int epochs = 0;
        await using (TaskHost task = await TaskHost.StartAsync(folder, options => options.MaxUpdatesPerEpoch = 7))
        {
            while (await task.StepAsync(behind: false))
            {
                epochs++;
                // This update is accepted after the task has read the updates of the next epoch, and before the task makes that epoch.
                await updates.AcceptAsync("key 1", $"late {epochs}");
            }
        }
        Assert.True(epochs >= 5);
        await using (TaskHost rest = await TaskHost.StartAsync(folder))
        {
            await RunDryAsync(rest);
        }
        await HistoryCheck.RunAsync(folder, updates);
    }

    [Fact]
    public async Task A_task_that_is_behind_goes_on_at_once_and_one_that_is_not_waits()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        await updates.AcceptAsync("alice", "a1");
        await updates.AcceptAsync("alice", "a2");
        await updates.AcceptAsync("alice", "a3");
        await using (TaskHost task = await TaskHost.StartAsync(folder))
        {
            Assert.True(await task.StepAsync(behind: true));
            Assert.False(await task.StepAsync(behind: false));
            Assert.Equal(2UL, task.Session.Last.Epoch);
            Assert.False(await task.StepAsync(behind: false));
        }
        Assert.Equal(3UL, await HistoryCheck.RunAsync(folder, updates));
    }

    [Fact]
    public async Task What_was_read_ahead_of_an_epoch_that_failed_is_forgotten()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        await AcceptBacklogAsync(updates);
        (TaskHost task, FailingStore fault) = await StartOnFailingStoreAsync(folder, options => options.MaxUpdatesPerEpoch = 7);
        await using (task)
        {
            Assert.True(await task.StepAsync(behind: true));
            for (int i = 0; i < 2; i++)
            {
                // The first of the two failing commits is of an epoch whose updates were read in advance.
                fault.FailNextCommit();
                await Assert.ThrowsAsync<StorageUnavailableException>(() => task.StepAsync(behind: true));
                Assert.Equal(1UL, task.Session.Last.Epoch);
            }
            await RunDryAsync(task);
        }
        await HistoryCheck.RunAsync(folder, updates);
    }

    [Fact]
    public async Task What_arrives_until_an_epoch_begins_is_in_it()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        await using (TaskHost task = await TaskHost.StartAsync(folder))
        {
            for (ulong epoch = 1; epoch <= 3; epoch++)
            {
                // The first update is accepted before the first reading, and the last update after the last reading. The second update has
                // the same key as the first, so it must wait for the next epoch.
                await updates.AcceptAsync("alice", $"a{epoch}");
                await task.ReadAheadAsync();
                await updates.AcceptAsync("alice", $"a{epoch} again");
                await updates.AcceptAsync(Updates.Request(Updates.Item("bob", $"b{epoch}"), Updates.Item("carol", $"c{epoch}")));
                await task.ReadAheadAsync();
                await updates.AcceptAsync("dave", $"d{epoch}");
                await task.StepAsync();
                Assert.Equal(epoch, task.Session.Last.Epoch);
                Assert.Equal((long)epoch, await task.Store.CountPendingAsync(TestContext.Current.CancellationToken));
            }
            await RunDryAsync(task);
        }
        await HistoryCheck.RunAsync(folder, updates);
    }

    [Fact]
    public async Task A_reading_ahead_that_fails_is_told_by_the_next_epoch_and_forgotten()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        await updates.AcceptAsync("alice", "a1");
        (TaskHost task, FailingStore fault) = await StartOnFailingStoreAsync(folder);
        await using (task)
        {
            await task.ReadAheadAsync();
            fault.FailNextRead();
            await task.ReadAheadAsync();
            await task.ReadAheadAsync();
            await Assert.ThrowsAsync<StorageUnavailableException>(() => task.StepAsync());
            Assert.Equal(0UL, task.Session.Last.Epoch);
            await task.StepAsync();
            Assert.Equal(1UL, task.Session.Last.Epoch);
        }
        await HistoryCheck.RunAsync(folder, updates);
    }

    private static async Task<(TaskHost Task, FailingStore Fault)> StartOnFailingStoreAsync(
        TestFolder folder, Action<EpochOptions>? configure = null)
    {
        FailingStore? fault = null;
        TaskHost task = await TaskHost.StartAsync(folder, configure, wrap: store => fault = new FailingStore(store));
        return (task, fault!);
    }

    // Accepts several updates of each key. Some requests contain updates of several keys.
    private static async Task AcceptBacklogAsync(Updates updates)
    {
        for (int version = 1; version <= 3; version++)
        {
            await updates.AcceptAsync(
                [.. Enumerable.Range(0, 10).Select(key => Updates.Request(Updates.Item($"key {key}", $"value {version}")))]);
            await updates.AcceptAsync(
                Updates.Request([.. Enumerable.Range(0, 5).Select(key => Updates.Item($"key {key}", $"together {version}"))]));
        }
    }

    private static async Task RunDryAsync(TaskHost task)
    {
        while (await task.Store.CountPendingAsync(TestContext.Current.CancellationToken) > 0)
        {
            await task.StepAsync(behind: true);
        }
    }
}
