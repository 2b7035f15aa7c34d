using Microsoft.Extensions.Logging;
using Optiks.Protocol;
using Optiks.Storage;
using Optiks.Storage.Sqlite;
using Optiks.Tests.Shared;
using Optiks.UpdateTask.Board;
using Optiks.UpdateTask.Options;
using Optiks.UpdateTask.Tests.Support;

namespace Optiks.UpdateTask.Tests;

/// <summary>
/// Tests how a log switches from one period to the next. The task stages copies in advance, begins the next period with them, and later
/// destroys old periods.
/// </summary>
public sealed class PeriodTests
{
    private static readonly TimeSpan s_length = TimeSpan.FromHours(1);

    [Fact]
    public async Task The_next_period_begins_with_the_latest_versions_when_its_time_has_come()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        var time = new ManualTime();
        using var events = new LoggedEvents();
        await using TaskHost task = await StartAsync(folder, time, events: events);
        await FillAsync(task, updates);
        Assert.Equal(0UL, task.Session.Period.Period);
        Assert.Equal(1, events.Count("PeriodAnnounced"));
        Assert.Equal(DateTimeOffset.FromUnixTimeMilliseconds((long)task.Session.PeriodStartMs) + s_length, task.State.Current.NextPeriodAt);

        // The switch must not happen even one millisecond before the announced time.
        ulong last = task.Session.Last.Epoch;
        time.Advance(DateTimeOffset.FromUnixTimeMilliseconds((long)task.Session.PeriodStartMs) + s_length - time.GetUtcNow()
            - TimeSpan.FromMilliseconds(1));
        await task.StepAsync();
        Assert.Equal((last + 1, 0UL), (task.Session.Last.Epoch, task.Session.Period.Period));
        time.Advance(TimeSpan.FromMilliseconds(2));
        await updates.AcceptAsync("late", "waits for the epoch after the switch");
        await task.StepAsync();
        Assert.Equal((last + 2, 1UL), (task.Session.Last.Epoch, task.Session.Period.Period));
        Assert.Equal(last + 2, task.Session.Period.FirstEpoch);
        await task.StepAsync();
        Assert.Equal(DateTimeOffset.FromUnixTimeMilliseconds((long)task.Session.PeriodStartMs) + s_length, task.State.Current.NextPeriodAt);
        Assert.Equal(2, events.Count("PeriodAnnounced"));
        Assert.Equal(last + 3, task.Session.Last.Epoch);

        // In the new period, the copy is version 1 of its key, and the next update becomes version 2.
        await updates.AcceptAsync("key 1", "in period 1");
        await updates.AcceptAsync(UserUpdate.Of("bob").AddDevice("bob 2", "in period 1").Request());
        await task.StepAsync();
        await HistoryCheck.RunAsync(folder, updates);
    }

    [Fact]
    public async Task Copies_are_staged_between_epochs_and_again_when_their_keys_change()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        var time = new ManualTime();
        await using TaskHost task = await StartAsync(folder, time, options =>
        {
            options.CopiesPerChunk = 3;
        });
        await FillAsync(task, updates);
        await WorkAsync(task);
        int staged = await task.Store.CountCopiesAsync(1, TestContext.Current.CancellationToken);
        Assert.InRange(staged, 12, 30);
        Assert.Equal(staged, task.State.Current.Copies);

        await updates.AcceptAsync("key 1", "changed");
        await updates.AcceptAsync(UserUpdate.Of("bob").Decommission().Request());
        await task.StepAsync();
        await WorkAsync(task);
        // Three more rows of copies must be staged. One row is for the changed key. The other two remove the device list and the device of
        // the user "bob", who has left.
        Assert.Equal(staged + 3, await task.Store.CountCopiesAsync(1, TestContext.Current.CancellationToken));
        await updates.AcceptAsync("bob 1", "set by itself after its user has left");
        await task.StepAsync();
        await WorkAsync(task);
        time.Advance(s_length);
        await task.StepAsync();
        Assert.Equal(1UL, task.Session.Period.Period);
        await HistoryCheck.RunAsync(folder, updates);
        CopyBundles.Check(folder, 1, task.Session.Period.Copies!.Value);
    }

    [Fact]
    public async Task A_switch_that_is_due_waits_for_copies_that_are_made_between_epochs_where_there_are_many()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        await using TaskHost task = await StartDueAsync(folder, updates, copiesPerChunk: 1);
        await task.StepAsync();
        int staged = await task.Store.CountCopiesAsync(1, TestContext.Current.CancellationToken);
        Assert.InRange(staged, 4, 30);
        // The first epoch after the due time has staged its chunks. Epochs that add no leaves must not stage further copies.
        await task.StepAsync();
        await task.StepAsync();
        Assert.Equal((0UL, staged),
            (task.Session.Period.Period, await task.Store.CountCopiesAsync(1, TestContext.Current.CancellationToken)));
        await WorkAsync(task);
        await updates.AcceptAsync("key 1", "changed");
        await task.StepAsync();
        await task.StepAsync();
        Assert.Equal(1UL, task.Session.Period.Period);
        await HistoryCheck.RunAsync(folder, updates);
    }

    [Fact]
    public async Task A_switch_comes_although_every_epoch_adds_something_and_leaves_time_for_one_piece_alone()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        await using TaskHost task = await StartDueAsync(folder, updates, copiesPerChunk: 3);
        int rounds = 0;
        for (; task.Session.Period.Period == 0 && rounds < 30; rounds++)
        {
            await updates.AcceptAsync("key 1", $"value {rounds}");
            await task.StepAsync();
            await task.WorkAsync();
        }
        // The switch must take several rounds, because most copies are staged between epochs, but it must happen before the last round.
        Assert.InRange(rounds, 2, 29);
        // The last update was accepted before the switch epoch, which takes no requests. The epoch after the switch must publish it.
        await task.StepAsync();
        await HistoryCheck.RunAsync(folder, updates);
    }

    [Fact]
    public async Task Periods_follow_each_other_and_old_ones_are_destroyed()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        var time = new ManualTime();
        await using TaskHost task = await StartAsync(folder, time);
        await FillAsync(task, updates);
        for (ulong period = 1; period <= 3; period++)
        {
            await updates.AcceptAsync("key 1", $"before period {period}");
            await updates.AcceptAsync(
                UserUpdate.Of($"user {period}").Create($"name {period}").AddDevice($"device {period}", "value").Request());
            await task.StepAsync();
            if (period > 1)
            {
                await updates.AcceptAsync(UserUpdate.Of($"user {period - 1}").Decommission().Request());
                await task.StepAsync();
            }
            time.Advance(s_length + TimeSpan.FromSeconds(1));
            await task.StepAsync();
            Assert.Equal(period, task.Session.Period.Period);
            if (period == 1)
            {
                await HistoryCheck.RunAsync(folder, updates);
            }
            await WorkAsync(task);
        }
        IReadOnlyList<PeriodRow> periods = await task.Store.ReadPeriodsAsync(TestContext.Current.CancellationToken);
        Assert.Equal([PeriodState.Destroyed, PeriodState.Destroyed, PeriodState.Ended, PeriodState.Current],
            periods.Select(period => period.State));
        await HistoryCheck.RunAsync(folder);
        Assert.Empty(CopyBundles.Read(folder, 1));
        Assert.NotEmpty(CopyBundles.Read(folder, 2));
        // No bundle may still name a key of the destroyed first period.
        foreach (string path in Directory.EnumerateFiles(new BoardFolder(folder.Data).Bundles, "*.bundle"))
        {
            EpochContent content = EpochBundle.Decode(await File.ReadAllBytesAsync(path, TestContext.Current.CancellationToken));
            for (int i = 0; i < content.Leaves.Rows.Length && content.Epoch.Epoch < periods[2].FirstEpoch; i++)
            {
                Assert.True(!content.Leaves.Rows.Span[i].Structure.IsPerPeriod() || content.Leaves.Key(i).IsEmpty);
            }
        }
    }

    [Fact]
    public async Task A_switch_is_made_when_the_operator_asks_for_it_and_the_log_allows_it()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        var time = new ManualTime();
        await using TaskHost task = await StartAsync(folder, time, options => options.Automatic = false);
        await FillAsync(task, updates);
        time.Advance(s_length / 2);
        await task.StepAsync();
        await WorkAsync(task);
        Assert.Null(task.State.Current.NextPeriodAt);
        Assert.Single(await task.Store.ReadPeriodsAsync(TestContext.Current.CancellationToken));
        await using (MaintenanceStore store =
            await new SqliteStorageProvider().OpenMaintenanceAsync(folder.ConnectionString, TestContext.Current.CancellationToken))
        {
            await store.RequestSwitchAsync(1, TestContext.Current.CancellationToken);
        }
        await task.StepAsync();
        await WorkAsync(task);
        Assert.Equal(0UL, task.Session.Period.Period);
        Assert.Equal(PeriodState.Next, (await task.Store.ReadPeriodsAsync(TestContext.Current.CancellationToken))[1].State);
        time.Advance(s_length);
        await task.StepAsync();
        Assert.Equal(1UL, task.Session.Period.Period);
        // The operator's request must cause only one switch, however much time passes afterwards.
        time.Advance(2 * s_length);
        await task.StepAsync();
        Assert.Equal(1UL, task.Session.Period.Period);
        await HistoryCheck.RunAsync(folder, updates);
    }

    [Fact]
    public async Task An_interval_below_the_logs_is_refused()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        StartupException refused =
            await Assert.ThrowsAsync<StartupException>(
                () => StartAsync(folder, new ManualTime(), options => options.Interval = s_length / 2));
        Assert.Equal(ExitCodes.Configuration, refused.ExitCode);
    }

    [Fact]
    public async Task Expected_versions_of_the_period_before_are_those_that_were_copied()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        var time = new ManualTime();
        await using TaskHost task = await StartAsync(folder, time);
        await FillAsync(task, updates);
        await updates.AcceptAsync("key 1", "second");
        await task.StepAsync();
        time.Advance(s_length + TimeSpan.FromSeconds(1));
        await task.StepAsync();
        Assert.Equal(1UL, task.Session.Period.Period);
        (string Key, ulong Period, ulong Version, bool IsTaken)[] cases =
            [("key 1", 0, 2, true), ("key 2", 0, 2, false), ("key 3", 0, 0, false), ("key 4", 1, 1, true), ("key 5", 1, 2, false),
                ("new 1", 0, 0, true), ("new 2", 0, 1, false), ("key 6", 0, 1, true)];
        var requests =
            cases.Select(each => Updates.Request(Updates.Item(each.Key, "value", new ExpectedVersion(each.Period, each.Version))))
                .ToArray();
        await updates.AcceptAsync(requests);
        await task.StepAsync();
        for (int i = 0; i < cases.Length; i++)
        {
            Assert.Equal((cases[i], cases[i].IsTaken),
                (cases[i], (await updates.StatusAsync(requests[i])).State == RequestState.Published));
        }
        // The key has a later version than its copy now. A request that expects the version of the previous period is therefore refused.
        await updates.AcceptAsync(Updates.Request(Updates.Item("key 1", "again", new ExpectedVersion(0, 2))));
        await task.StepAsync();
        await HistoryCheck.RunAsync(folder, updates);
    }

    [Fact]
    public async Task Whoever_takes_over_goes_on_where_it_was()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        var time = new ManualTime();
        // Only every fourth round saves a snapshot. Some rounds therefore load the trees from the database alone, and the others start from
        // a snapshot.
        for (int round = 0; round < 12; round++)
        {
            await using TaskHost task = await StartAsync(
                folder, time, options =>
                {
                    options.CopiesPerChunk = 2;
                });
            if (round == 0)
            {
                await FillAsync(task, updates);
            }
            await updates.AcceptAsync($"key {round}", $"value {round}");
            await task.StepAsync();
            for (int i = 0; i < round; i++)
            {
                await task.WorkAsync();
            }
            if (round % 3 == 2)
            {
                time.Advance(s_length + TimeSpan.FromSeconds(1));
                await task.StepAsync();
                await task.StepAsync();
            }
            if (round % 4 == 3)
            {
                await task.Session.FinishAsync(TestContext.Current.CancellationToken);
            }
        }
        await using TaskHost last = await StartAsync(folder, time);
        Assert.Equal(4UL, last.Session.Period.Period);
        await last.StepAsync();
        await HistoryCheck.RunAsync(folder);
    }

    [Fact]
    public async Task Copies_whose_staging_failed_or_was_not_answered_are_staged_once()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        var time = new ManualTime();
        FailingStore? fault = null;
        await using TaskHost task = await StartAsync(
            folder, time, options =>
            {
                options.CopiesPerChunk = 4;
            },
            wrap: real => fault = new FailingStore(real));
        await FillAsync(task, updates);
        for (int i = 0; i < 2; i++)
        {
            await task.StepAsync();
            fault!.FailNextStaging();
            await Assert.ThrowsAsync<StorageUnavailableException>(() => WorkAsync(task));
            // It is unknown whether the last staging succeeded. The task must stage nothing more before it has read the staged rows from
            // the database.
            Assert.False(await task.WorkAsync());
            await task.StepAsync();
            fault.LoseNextStaging();
            await Assert.ThrowsAsync<StorageUnavailableException>(() => WorkAsync(task));
        }
        await task.StepAsync();
        await WorkAsync(task);
        time.Advance(s_length + TimeSpan.FromSeconds(1));
        await task.StepAsync();
        Assert.Equal(1UL, task.Session.Period.Period);
        await HistoryCheck.RunAsync(folder, updates);
        CopyBundles.Check(folder, 1, task.Session.Period.Copies!.Value);
        CopyBatch copies = await task.Store.ReadCopiesAsync(1, 0, 1000, LeafColumns.Trees, TestContext.Current.CancellationToken);
        // No source may be copied twice. Only the empty source occurs several times: it marks the rows that remove the keys of the user
        // "alice", who has left.
        Assert.Single(copies.Sources.ToArray().GroupBy(source => source), group => group.Count() > 1);
    }

    [Theory]
    [InlineData(0, "The database lacks leaf 0 of epoch 1: restore it.")]
    [InlineData(2, "The database lacks leaf 2 of epoch 1: restore it.")]
    public async Task No_period_begins_without_a_leaf_that_the_database_has_lost(int lost, string expected)
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        FailingStore? fault = null;
        await using TaskHost task = await StartAsync(
            folder, new ManualTime(), wrap: real => fault = new FailingStore(real));
        await FillAsync(task, updates);
        fault!.LoseLeaf(lost);
        StorageCorruptException corrupt = await Assert.ThrowsAsync<StorageCorruptException>(() => WorkAsync(task));
        Assert.Equal(expected, corrupt.Message);
        Assert.Equal(0, await task.Store.CountCopiesAsync(1, TestContext.Current.CancellationToken));
        await WorkAsync(task);
        Assert.True(await task.Store.CountCopiesAsync(1, TestContext.Current.CancellationToken) > 10);
    }

    [Fact]
    public async Task A_holder_that_was_overtaken_stages_nothing()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        var time = new ManualTime();
        await using TaskHost old = await StartAsync(folder, time, holder: "old");
        await FillAsync(old, updates);
        time.Advance(TimeSpan.FromMinutes(1));
        // The old task's lease ends in the database, but the old task does not notice, because it measures the lease by its own clock.
        await using (PipelineStore store = await folder.OpenPipelineAsync())
        {
            await store.ReleaseLeaseAsync(old.Keeper.Lease, TestContext.Current.CancellationToken);
        }
        await using TaskHost successor = await StartAsync(folder, time, holder: "successor");
        await successor.StepAsync();
        await Assert.ThrowsAsync<StorageFencedException>(() => WorkAsync(old));
        await WorkAsync(successor);
        time.Advance(s_length + TimeSpan.FromSeconds(1));
        await successor.StepAsync();
        Assert.Equal(1UL, successor.Session.Period.Period);
        await Assert.ThrowsAsync<StorageFencedException>(() => old.StepAsync());
        await HistoryCheck.RunAsync(folder, updates);
    }

    [Theory]
    [InlineData(null)]
    [InlineData(0)]
    public async Task A_board_that_was_lost_or_is_behind_is_made_again_across_periods(int? kept)
    {
        await using TestBucket shared = await TestBucket.StartAsync();
        BucketOptions bucket = shared.Options;
        bucket.KeepsMark = kept is not null;
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        var time = new ManualTime();
        string log = new BoardFolder(folder.Data).Log;
        await using (TaskHost task = await StartAsync(folder, time, bucket: bucket))
        {
            await FillAsync(task, updates);
            for (int period = 1; period <= 3; period++)
            {
                if (kept == period - 1)
                {
                    TestFolder.Copy(log, $"{log}.kept");
                }
                await updates.AcceptAsync("key 1", $"before period {period}");
                await task.StepAsync();
                time.Advance(s_length + TimeSpan.FromSeconds(1));
                await task.StepAsync();
                await WorkAsync(task);
            }
            Assert.Equal(3UL, task.Session.Period.Period);
        }
        Directory.Delete(log, recursive: true);
        if (kept is not null)
        {
            Directory.Move($"{log}.kept", log);
        }
        await using (TaskHost task = await StartAsync(folder, time, bucket: bucket))
        {
            await updates.AcceptAsync("key 1", "after the board was lost");
            await task.StepAsync();
        }
        await HistoryCheck.RunAsync(folder);
    }

    [Fact]
    public async Task A_switch_has_dummies_of_names_and_copies_those_of_keys()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        var time = new ManualTime();
        await using (TaskHost task = await StartAsync(
            folder, time, padding: padding => (padding.Usernames, padding.Devices, padding.Keys, padding.Decommissioned) = (4, 4, 8, 2)))
        {
            await FillAsync(task, updates);
            ulong[] before = [.. EpochRecord.Decode(task.Session.Last.Record.Span).Structures.Select(structure => structure.Count)];
            time.Advance(s_length + TimeSpan.FromSeconds(1));
            await task.StepAsync();
            Assert.Equal(1UL, task.Session.Period.Period);
            ulong[] after = [.. EpochRecord.Decode(task.Session.Last.Record.Span).Structures.Select(structure => structure.Count)];
            Assert.Equal((before[0] + 4, before[3] + 2), (after[0], after[3]));
            Assert.True(after[1] < before[1] && after[2] < before[2] && after[2] > 9,
                $"{string.Join(' ', before)}, {string.Join(' ', after)}");
        }
        await HistoryCheck.RunAsync(folder);
    }

    // Starts a task with a very long lease. The task never renews it, because timers of a ManualTime never fire.
    private static Task<TaskHost> StartAsync(
        TestFolder folder, TimeProvider time, Action<PeriodOptions>? periods = null, string holder = "test",
        Func<PipelineStore, PipelineStore>? wrap = null, Action<PaddingOptions>? padding = null, BucketOptions? bucket = null,
        ILoggerProvider? events = null) =>
        TaskHost.StartAsync(folder, epochs => epochs.LeaseDuration = TimeSpan.FromDays(10), time: time,
            log: log => log.PeriodLength = s_length, holder: holder, wrap: wrap, padding: padding, periods: periods, bucket: bucket,
            events: events);

    // Makes a log that has keys to copy and whose next period is due. Returns the task that leads the log.
    private static async Task<TaskHost> StartDueAsync(TestFolder folder, Updates updates, int copiesPerChunk)
    {
        var time = new ManualTime();
        TaskHost task = await StartAsync(folder, time, options =>
        {
            options.CopiesPerChunk = copiesPerChunk;
        });
        await FillAsync(task, updates);
        time.Advance(s_length);
        return task;
    }

    // Makes epochs with plain keys and two users. The user "alice" leaves, and the user "bob" stays.
    private static async Task FillAsync(TaskHost task, Updates updates)
    {
        await task.StepAsync();
        for (int i = 0; i < 8; i++)
        {
            await updates.AcceptAsync($"key {i}", "first");
        }
        await updates.AcceptAsync(
            UserUpdate.Of("alice").Create("al").AddDevice("alice 1", "value").AddDevice("alice 2", "value").Request(),
            UserUpdate.Of("bob").Create("bobby").AddDevice("bob 1", "value").Request());
        await task.StepAsync();
        await updates.AcceptAsync(UserUpdate.Of("alice").RemoveDevice("alice 2").Request());
        await updates.AcceptAsync("key 7", "second");
        await task.StepAsync();
        await updates.AcceptAsync(UserUpdate.Of("alice").Decommission().Request());
        await task.StepAsync();
    }

    private static async Task WorkAsync(TaskHost task)
    {
        for (int i = 0; await task.WorkAsync(); i++)
        {
            Assert.True(i < 1000, "there is no end of it");
        }
    }
}
