using Optiks.Protocol;
using Optiks.Storage;
using Optiks.Storage.Sqlite;
using Optiks.UpdateTask.Options;
using Optiks.UpdateTask.Tests.Support;

namespace Optiks.UpdateTask.Tests;

/// <summary>
/// Tests the dummies that pad epochs. However many updates an epoch has, its number of leaves in each padded structure must be a multiple
/// of the configured bucket. In all other respects the log must be like a log without dummies.
/// </summary>
public sealed class PaddingTests
{
    [Fact]
    public async Task Each_structure_grows_by_its_buckets_and_the_history_checks_out()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        await using (TaskHost task = await StartAsync(folder, options => (options.Keys, options.Devices, options.Usernames) = (4, 2, 3)))
        {
            ulong[] before = Counts(task);
            foreach (int number in (int[])[1, 4, 5])
            {
                await updates.AcceptAsync(
                    [.. Enumerable.Range(0, number).Select(i => Updates.Request(Updates.Item($"key {number} {i}", "value")))]);
                await task.StepAsync();
                ulong[] after = Counts(task);
                Assert.Equal([3, 2, number > 4 ? 8UL : 4, 0], after.Zip(before, (later, earlier) => later - earlier));
                before = after;
            }
        }
        // The task is restarted twice: first with dummies switched off, and then with a larger bucket.
        await using (TaskHost task = await StartAsync(folder, _ => { }))
        {
            ulong[] before = Counts(task);
            await updates.AcceptAsync("one", "more");
            await task.StepAsync();
            Assert.Equal([0, 0, 1UL, 0], Counts(task).Zip(before, (later, earlier) => later - earlier));
        }
        await using (TaskHost task = await StartAsync(folder, options => options.Decommissioned = 2))
        {
            await updates.AcceptAsync("and", "more");
            await task.StepAsync();
            Assert.Equal(2UL, Counts(task)[3]);
        }
        Assert.Equal(5UL, await HistoryCheck.RunAsync(folder, updates));
    }

    [Fact]
    public async Task A_heartbeat_looks_like_an_epoch_of_few_updates()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        await using TaskHost task = await TaskHost.StartAsync(
            folder, log: options => options.Heartbeat = TimeSpan.FromMilliseconds(1), padding: options => options.Keys = 4);
        ulong[] before = Counts(task);
        await Task.Delay(5, TestContext.Current.CancellationToken);
        await task.StepAsync();
        Assert.Equal([0, 0, 4UL, 0], Counts(task).Zip(before, (later, earlier) => later - earlier));
    }

    [Fact]
    public async Task An_epoch_with_dummies_that_was_committed_alone_is_finished_by_the_next_task()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        await updates.AcceptAsync("alice", "1");
        FailingStore fault = null!;
        PipelineStore Wrap(PipelineStore store) => fault = new FailingStore(store);

        await using (TaskHost task = await TaskHost.StartAsync(folder, padding: options => options.Keys = 3, wrap: Wrap))
        {
            await task.StepAsync();
            await updates.AcceptAsync("bob", "1");
            fault.FailNextCheckpoint();
            await Assert.ThrowsAsync<StorageUnavailableException>(task.StepAsync);
        }
        await using (TaskHost task = await StartAsync(folder, _ => { }))
        {
            await task.StepAsync();
            Assert.Equal(6UL, Counts(task)[2]);
        }
        Assert.Equal(2UL, await HistoryCheck.RunAsync(folder, updates));
    }

    [Fact]
    public async Task To_followers_a_dummy_looks_like_any_leaf()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        await new Updates(folder).AcceptAsync("alice", "1");
        await using (TaskHost task = await StartAsync(folder, options => options.Keys = 8))
        {
            await task.StepAsync();
        }
        await using IFollowStore store =
            await new SqliteStorageProvider().OpenFollowAsync(folder.ConnectionString, TestContext.Current.CancellationToken);
        int leaves = 0;
        await foreach (LeafBatch batch in store.ReadLeavesAsync(1, 1, 100, LeafColumns.Values, TestContext.Current.CancellationToken))
        {
            foreach (Native.LeafRow row in batch.Rows.Span)
            {
                Assert.Equal((StructureId.Keys, 1UL, 1UL), (row.Structure, row.Version, row.Epoch));
                Assert.NotEqual(Native.LeafRow.NoValue, row.ValueOffset);
                leaves++;
            }
        }
        Assert.Equal(8, leaves);
    }

    [Fact]
    public async Task A_log_whose_keys_are_too_short_says_so()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        await using TaskHost task =
            await TaskHost.StartAsync(folder, log: options => options.MaxKeyLength = 15, padding: options => options.Keys = 1);
        await new Updates(folder).AcceptAsync("alice", "1");
        Assert.Contains(PaddingOptions.Section, (await Assert.ThrowsAsync<StorageMisconfiguredException>(task.StepAsync)).Message,
            StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(-1, true)]
    [InlineData(0, false)]
    [InlineData(PaddingOptions.MaxBucket, false)]
    [InlineData(PaddingOptions.MaxBucket + 1, true)]
    public void Buckets_have_bounds(int bucket, bool isRefused) =>
        Assert.Equal(isRefused, new PaddingOptionsValidator().Validate(null, new PaddingOptions { Keys = bucket }).Failed);

    private static Task<TaskHost> StartAsync(TestFolder folder, Action<PaddingOptions> padding) =>
        TaskHost.StartAsync(folder, padding: padding);

    private static ulong[] Counts(TaskHost task) =>
        [.. EpochRecord.Decode(task.Session.Last.Record.Span).Structures.Select(state => state.Count)];
}
