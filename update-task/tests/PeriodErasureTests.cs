using System.Text;
using Optiks.Protocol;
using Optiks.Storage;
using Optiks.UpdateTask.Board;
using Optiks.UpdateTask.Tests.Support;

namespace Optiks.UpdateTask.Tests;

/// <summary>
/// Tests erasures while the next period is being prepared, and after it has begun. All copies of a value must be erased together with the
/// value: from the database, from the bundles and from the task's own files.
/// </summary>
public sealed class PeriodErasureTests
{
    private static readonly TimeSpan s_length = TimeSpan.FromHours(1);

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_version_that_was_copied_goes_with_its_copy()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        var time = new ManualTime();
        await using (TaskHost task = await StartAsync(folder, time))
        {
            await PublishAsync(task, updates, Updates.Request(Updates.Item("alice", "SECRET-one")));
            await WorkAsync(task);
            Assert.Equal(2, Found(folder, "SECRET-one"));
            await PublishAsync(task, updates, Updates.Request(Updates.Item("alice", "SECRET-two")));
            await PublishAsync(task, updates, Order("alice", 1, 1));
            Assert.Equal(0, await CountAsync(task, "SECRET-one"));
            Assert.Equal(0, Found(folder, "SECRET-one"));
            await WorkAsync(task);
            time.Advance(s_length + TimeSpan.FromSeconds(1));
            await task.StepAsync();
            Assert.Equal(1UL, task.Session.Period.Period);
            Assert.Equal(2, await CountAsync(task, "SECRET-two"));

            // Version 1 of the key in the current period is a copy. Its source in the previous period has the same value.
            await PublishAsync(task, updates, Updates.Request(Updates.Item("alice", "SECRET-three")));
            foreach (ulong other in (ulong[])[0, 2])
            {
                // This request names version 1 of a period that is not current, so it must be refused.
                AcceptRequest across = Order("alice", 1, 1, other);
                await PublishAsync(task, updates, across);
                Assert.Equal(new Refusal(RefusalReason.OtherPeriod, 0, new ExpectedVersion(1, 2)),
                    (await updates.StatusAsync(across)).Refusal);
                Assert.Equal(2, await CountAsync(task, "SECRET-two"));
            }
            AcceptRequest order = Order("alice", 1, 1, period: 1);
            await PublishAsync(task, updates, order);
            Assert.Equal(RequestState.Published, (await updates.StatusAsync(order)).State);
            Assert.Equal(0, await CountAsync(task, "SECRET-two"));
            Assert.Equal(0, Found(folder, "SECRET-two"));
            Assert.Equal(1, await CountAsync(task, "SECRET-three"));
            AcceptRequest latest = Order("alice", 1, 2);
            await PublishAsync(task, updates, latest);
            Assert.Equal(new Refusal(RefusalReason.LatestVersion, 0, new ExpectedVersion(1, 2)),
                (await updates.StatusAsync(latest)).Refusal);
        }
        await HistoryCheck.RunAsync(folder);
    }

    [Fact]
    public async Task A_user_who_is_erased_is_taken_out_of_the_next_period_with_all_devices()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        var time = new ManualTime();
        await using (TaskHost task = await StartAsync(folder, time))
        {
            await PublishAsync(task, updates,
                UserUpdate.Of("ada").Create("name").AddDevice("phone", "SECRET-p").AddDevice("tablet", "SECRET-t").Request());
            await PublishAsync(task, updates, UserUpdate.Of("ada").RemoveDevice("tablet").Request());
            await WorkAsync(task);
            await PublishAsync(task, updates, UserUpdate.Of("ada").Decommission().Request());
            await WorkAsync(task);
            AcceptRequest order = Updates.Request(ErasureOrder.OfUser.ToItem("ada"u8.ToArray()));
            await PublishAsync(task, updates, order);
            Assert.Equal(RequestState.Published, (await updates.StatusAsync(order)).State);
            Assert.Equal(0, Found(folder, "SECRET-"));
            Assert.Equal(0, await CountAsync(task, "SECRET-"));
            await WorkAsync(task);
            time.Advance(s_length + TimeSpan.FromSeconds(1));
            await task.StepAsync();
            Assert.Equal(1UL, task.Session.Period.Period);
            Assert.Equal([1UL, 0UL, 0UL, 1UL],
                EpochRecord.Decode(task.Session.Last.Record.Span).Structures.Select(structure => structure.Count));
        }
        await HistoryCheck.RunAsync(folder);
    }

    [Fact]
    public async Task A_version_that_changed_after_it_was_staged_goes_with_its_period()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        var time = new ManualTime();
        await using (TaskHost task = await StartAsync(folder, time))
        {
            await PublishAsync(task, updates, Updates.Request(Updates.Item("alice", "SECRET-one")),
                UserUpdate.Of("ada").Create("name").AddDevice("phone", "SECRET-p").Request());
            await WorkAsync(task);
            Assert.Equal(2, await CountAsync(task, "SECRET-one"));
            await PublishAsync(task, updates, Updates.Request(Updates.Item("alice", "SECRET-two")),
                UserUpdate.Of("ada").Decommission().Request());
            await WorkAsync(task);
            // The copies that were staged first have no values any more, so only the leaves still contain these values.
            Assert.Equal(1, await CountAsync(task, "SECRET-one"));
            Assert.Equal(1, await CountAsync(task, "SECRET-p"));
            Assert.Equal(2, await CountAsync(task, "SECRET-two"));
            for (ulong period = 1; period <= 2; period++)
            {
                time.Advance(s_length + TimeSpan.FromSeconds(1));
                await task.StepAsync();
                Assert.Equal(period, task.Session.Period.Period);
                await PublishAsync(task, updates, Updates.Request(Updates.Item("bob", "any")));
                await WorkAsync(task);
            }
            Assert.Equal(PeriodState.Destroyed, (await task.Store.ReadPeriodsAsync(Cancel))[0].State);
            Assert.Equal((0, 0), (await CountAsync(task, "SECRET-one"), Found(folder, "SECRET-one")));
            Assert.Equal((0, 0), (await CountAsync(task, "SECRET-p"), Found(folder, "SECRET-p")));
            Assert.NotEqual(0, await CountAsync(task, "SECRET-two"));
        }
        await HistoryCheck.RunAsync(folder);
    }

    /// <summary>
    /// Tests erasing users who left before a switch. A request that names only the user must erase the user's values in ended periods that
    /// are still served. It must also erase values of a removed device that were copied to the next period.
    /// </summary>
    [Fact]
    public async Task A_user_who_left_before_the_switch_is_erased_from_ended_periods()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        var time = new ManualTime();
        await using (TaskHost task = await StartAsync(folder, time))
        {
            await PublishAsync(task, updates,
                UserUpdate.Of("ada").Create("ada's name").AddDevice("phone", "SECRET-p").AddDevice("tablet", "SECRET-t").Request());
            await PublishAsync(task, updates, UserUpdate.Of("ada").RemoveDevice("tablet").Request(),
                Updates.Request(Updates.Item("phone", "SECRET-q")));
            await PublishAsync(task, updates,
                UserUpdate.Of("bea").Create("bea's name").AddDevice("pad", "SECRET-b").AddDevice("watch", "SECRET-w").Request());
            await PublishAsync(task, updates, UserUpdate.Of("bea").RemoveDevice("watch").Request(),
                UserUpdate.Of("ada").Decommission().Request());
            await SwitchAsync(task, time, 1);
            // The device id "tablet", which the user "ada" had in an ended period, became free. The user "cleo" takes it now.
            await PublishAsync(
                task, updates, UserUpdate.Of("cleo").Create("cleo's name").AddDevice("tablet", "CLEO").Request(),
                UserUpdate.Of("bea").Decommission().Request());
            AcceptRequest ofLists = Updates.Request(new ErasureOrder(StructureId.Devices, 1, 1).ToItem("bea"u8.ToArray()));
            await PublishAsync(task, updates, ofLists);
            Assert.Equal(RefusalReason.ErasedWithUser, (await updates.StatusAsync(ofLists)).Refusal?.Reason);
            AcceptRequest ada = Updates.Request(ErasureOrder.OfUser.ToItem("ada"u8.ToArray()));
            AcceptRequest bea = Updates.Request(ErasureOrder.OfUser.ToItem("bea"u8.ToArray()));
            ulong before = task.Session.Last.Epoch;
            await updates.AcceptAsync(ada, bea);
            await task.StepAsync();
            Assert.Equal(before, task.Session.Last.Epoch);
            Assert.Equal(RequestState.Pending, (await updates.StatusAsync(ada)).State);
            // Other requests must not wait for the search in ended periods that the erasure of "ada" needs.
            await PublishAsync(task, updates, Updates.Request(Updates.Item("plain", "any")));
            Assert.Equal(before + 1, task.Session.Last.Epoch);
            await WorkAsync(task);
            await task.StepAsync();

            Assert.Equal([RequestState.Published, RequestState.Published],
                [(await updates.StatusAsync(ada)).State, (await updates.StatusAsync(bea)).State]);
            Assert.Equal(0, await CountAsync(task, "SECRET-"));
            Assert.Equal(0, Found(folder, "SECRET-"));
            Assert.NotEqual(0, await CountAsync(task, "CLEO"));
            await using IAcceptStore accept = await folder.OpenAcceptAsync();
            (StructureId, ulong, ulong)[] receipt =
                [.. (await accept.ReadReceiptAsync(task.Session.Last.Epoch, ada.RequestId, Cancel)).Select(
                    erased => (erased.Structure, erased.Period, erased.Version)).Order()];
            Assert.Equal(
                [(StructureId.Devices, 0UL, 1UL), (StructureId.Devices, 0UL, 2UL), (StructureId.Keys, 0UL, 1UL),
                    (StructureId.Keys, 0UL, 1UL), (StructureId.Keys, 0UL, 2UL)], receipt);
            // A second request for the same user finds no values, so it must report no value as erased.
            AcceptRequest again = Updates.Request(ErasureOrder.OfUser.ToItem("ada"u8.ToArray()));
            await updates.AcceptAsync(again);
            await task.StepAsync();
            await WorkAsync(task);
            await task.StepAsync();
            Assert.Equal(RefusalReason.NothingLeft, (await updates.StatusAsync(again)).Refusal?.Reason);
            await SwitchAsync(task, time, 2);
        }
        await HistoryCheck.RunAsync(folder);
    }

    [Fact]
    public async Task What_a_user_removed_before_leaving_is_not_copied_and_what_others_removed_is()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        var time = new ManualTime();
        await using (TaskHost task = await StartAsync(folder, time))
        {
            foreach (string user in (string[])["ada", "bea"])
            {
                await PublishAsync(task, updates,
                    UserUpdate.Of(user).Create($"{user}'s name").AddDevice($"{user}'s phone", "SECRET-p")
                        .AddDevice($"{user}'s tablet", "SECRET-t").Request());
                await PublishAsync(task, updates, UserUpdate.Of(user).RemoveDevice($"{user}'s tablet").Request());
            }
            await WorkAsync(task);
            await PublishAsync(task, updates, UserUpdate.Of("ada").Decommission().Request());
            await WorkAsync(task);
            time.Advance(s_length + TimeSpan.FromSeconds(1));
            await task.StepAsync();
            Assert.Equal(1UL, task.Session.Period.Period);
            Assert.Equal([2UL, 1UL, 2UL, 1UL],
                EpochRecord.Decode(task.Session.Last.Record.Span).Structures.Select(structure => structure.Count));
        }
        await HistoryCheck.RunAsync(folder);
    }

    private static async Task SwitchAsync(TaskHost task, ManualTime time, ulong period)
    {
        await WorkAsync(task);
        time.Advance(s_length + TimeSpan.FromSeconds(1));
        await task.StepAsync();
        Assert.Equal(period, task.Session.Period.Period);
    }

    private static Task<TaskHost> StartAsync(TestFolder folder, TimeProvider time) => TaskHost.StartAsync(
        folder, epochs => epochs.LeaseDuration = TimeSpan.FromDays(10), time: time, log: log => log.PeriodLength = s_length);

    // Returns a request that erases versions of a key. If no period is given, the request has the form that older releases accepted.
    private static AcceptRequest Order(string key, ulong from, ulong through, ulong? period = null) =>
        Updates.Request(new ErasureOrder(StructureId.Keys, from, through) { Period = period }.ToItem(Encoding.UTF8.GetBytes(key)));

    private static async Task PublishAsync(TaskHost task, Updates updates, params AcceptRequest[] requests)
    {
        await task.StepAsync();
        await updates.AcceptAsync(requests);
        await task.StepAsync();
        Assert.Null(task.Session.Unfinished);
    }

    private static async Task WorkAsync(TaskHost task)
    {
        for (int i = 0; await task.WorkAsync(); i++)
        {
            Assert.True(i < 1000, "there is no end of it");
        }
    }

    // Counts the leaves and copies in the database whose values contain a text.
    private static async Task<int> CountAsync(TaskHost task, string text)
    {
        int count = 0;
        await foreach (LeafBatch batch in task.Store.ReadLeavesAsync(1, task.Session.Last.Epoch, 1000, LeafColumns.All, Cancel))
        {
            count += Text(batch.Values).Split(text).Length - 1;
        }
        foreach (PeriodRow period in await task.Store.ReadPeriodsAsync(Cancel))
        {
            count += Text((await task.Store.ReadCopiesAsync(period.Period, 0, 1000, LeafColumns.All, Cancel)).Values)
                .Split(text).Length - 1;
        }
        return count;
    }

    // Counts how often a text occurs in the bundles and in the task's own files. The task's own files keep only those values that are
    // device lists.
    private static int Found(TestFolder folder, string text) =>
        Directory.EnumerateFiles(new BoardFolder(folder.Data).Bundles)
            .Concat(Directory.EnumerateFiles(folder.Data.Task, "*", SearchOption.AllDirectories))
        .Where(path => Path.GetFileName(path) != "lock").Sum(path => Text(File.ReadAllBytes(path)).Split(text).Length - 1);

    private static string Text(ReadOnlyMemory<byte> octets) => Encoding.Latin1.GetString(octets.Span);
}
