using Optiks.Storage;
using Optiks.UpdateTask.Tests.Support;

namespace Optiks.UpdateTask.Tests;

/// <summary>With a backlog the next epoch is read while this one is committed: nothing is lost, doubled or overtaken by it.</summary>
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
                // Arrives after the next epoch was read, and before it is made.
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
    public async Task A_task_that_is_behind_reads_ahead_and_one_that_is_not_waits()
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
        FailingCommit? fault = null;
        IPipelineStore Wrap(IPipelineStore store)
        {
            (IPipelineStore wrapped, fault) = FailingCommit.Wrap(store);
            return wrapped;
        }
        await using (TaskHost task = await TaskHost.StartAsync(folder, options => options.MaxUpdatesPerEpoch = 7, wrap: Wrap))
        {
            Assert.True(await task.StepAsync(behind: true));
            for (int i = 0; i < 2; i++)
            {
                // The first of them with a batch that was read ahead itself.
                fault!.Failures = 1;
                await Assert.ThrowsAsync<StorageUnavailableException>(() => task.StepAsync(behind: true));
                Assert.Equal(1UL, task.Session.Last.Epoch);
            }
            await RunDryAsync(task);
        }
        await HistoryCheck.RunAsync(folder, updates);
    }

    // Several updates of each key, also in requests of several keys.
    private static async Task AcceptBacklogAsync(Updates updates)
    {
        for (int version = 1; version <= 3; version++)
        {
            await updates.AcceptAsync([.. Enumerable.Range(0, 10).Select(key => Updates.Request(Updates.Item($"key {key}", $"value {version}")))]);
            await updates.AcceptAsync(Updates.Request([.. Enumerable.Range(0, 5).Select(key => Updates.Item($"key {key}", $"together {version}"))]));
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
