using System.Text;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage;
using Optiks.Tests.Shared;
using Optiks.UpdateTask.Board;
using Optiks.UpdateTask.Tests.Support;

namespace Optiks.UpdateTask.Tests;

/// <summary>
/// Tests requests that ask for erasures (docs/spec/erasure.md): which erasures the task carries out, and which it refuses. If the task is
/// killed at any step, the value must still be erased after the next start.
/// </summary>
public sealed class ErasureTests
{
    // The fail points of the steps that erase values come first, because a short test run uses only the first three.
    private static readonly string[] s_points =
        [.. FailPoints.OfEpochs.Except([FailPoints.GenesisKey])
            .OrderBy(point => point is FailPoints.Commit or FailPoints.Bundle or FailPoints.Erase ? 0 : 1)
            .Take(Rounds.Of(3, int.MaxValue))];

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Superseded_versions_go_and_others_stay()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        await using TaskHost task = await TaskHost.StartAsync(folder);
        await PublishAsync(task, updates, "a-one", "a-two", "a-three", "a-four");
        AcceptRequest order = Order("alice", 1, 2);
        await updates.AcceptAsync(order);
        await task.StepAsync();

        RequestStatus status = await updates.StatusAsync(order);
        Assert.Equal((RequestState.Published, 5UL), (status.State, status.Epoch));
        Assert.Equal(["a-four", "a-three"], await ValuesAsync(task));
        Assert.Equal([(1UL, 1UL), (2UL, 2UL)], (await ReceiptAsync(folder, 5, order)).Select(erased => (erased.Version, erased.Epoch)));
        // The bundles no longer contain the erased value, but still contain the values that were not erased.
        Assert.All(Bundles(folder), octets => Assert.DoesNotContain("a-one", octets, StringComparison.Ordinal));
        Assert.Contains(Bundles(folder), octets => octets.Contains("a-three", StringComparison.Ordinal));

        // A second request asks for the same versions under another request id. The versions that the first request erased need no second
        // erasure.
        AcceptRequest again = Order("alice", 1, 3);
        await updates.AcceptAsync(again);
        await task.StepAsync();
        Assert.Equal(RequestState.Published, (await updates.StatusAsync(again)).State);
        Assert.Equal([3UL], (await ReceiptAsync(folder, 6, again)).Select(erased => erased.Version));
        // Once SQLite has written its write-ahead log back, the database file contains no trace of the erased value, because SQLite
        // overwrites deleted data.
        string database = await DatabaseAsync(folder, task);
        Assert.DoesNotContain("a-one", database, StringComparison.Ordinal);
        Assert.Contains("a-four", database, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Erasures_of_nothing_hold_up_no_update()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        await using TaskHost task = await TaskHost.StartAsync(folder);
        await PublishAsync(task, updates, "a-one", "a-two");
        // None of these requests erases anything. Most of them name unknown keys, with as many versions as a request may name. They must
        // not count towards the number of values that the epoch may erase.
        AcceptRequest[] orders = [.. Enumerable.Range(0, 64).Select(i => Order($"nobody {i}", 1, ErasureOrder.MaxValues)),
            OrderOfUser("no user"), Order("alice", 1, ErasureOrder.MaxValues)];
        AcceptRequest update = Updates.Request(Updates.Item("bob", "b"));
        AcceptRequest control = Order("alice", 1, 1);
        await updates.AcceptAsync([.. orders, update]);
        await task.StepAsync();
        Assert.Equal((RequestState.Published, 3UL), ((await updates.StatusAsync(update)).State, (await updates.StatusAsync(update)).Epoch));
        foreach (AcceptRequest order in orders)
        {
            Assert.Equal(RequestState.Refused, (await updates.StatusAsync(order)).State);
        }
        await updates.AcceptAsync(control);
        await task.StepAsync();
        Assert.Equal(RequestState.Published, (await updates.StatusAsync(control)).State);
    }

    [Fact]
    public async Task Erasures_beyond_an_epochs_share_wait_in_their_order_and_hold_up_no_update()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        await using TaskHost task = await TaskHost.StartAsync(folder);
        const int Keys = 360;
        for (int version = 1; version <= 4; version++)
        {
            await updates.AcceptAsync(
                [.. Enumerable.Range(0, Keys).Select(i => Updates.Request(Updates.Item($"key {i}", $"key {i} v{version}.")))]);
            await task.StepAsync();
        }
        // Each request asks to erase 3 versions. Together they ask for more versions than one epoch may erase.
        AcceptRequest[] orders = [.. Enumerable.Range(0, Keys).Select(i => Order($"key {i}", 1, 3))];
        AcceptRequest update = Updates.Request(Updates.Item("bob", "b"));
        await updates.AcceptAsync([.. orders, update]);
        await task.StepAsync();
        Assert.Equal(5UL, (await updates.StatusAsync(update)).Epoch);
        int first = ErasureOrder.MaxValues / 3;
        foreach ((AcceptRequest order, int i) in orders.Select((order, i) => (order, i)))
        {
            Assert.Equal(i < first ? RequestState.Published : RequestState.Pending, (await updates.StatusAsync(order)).State);
        }
        // The requests that waited are the first updates that were read in advance, so the next epoch must carry them out.
        await task.StepAsync();
        foreach (AcceptRequest order in orders[first..])
        {
            RequestStatus status = await updates.StatusAsync(order);
            Assert.Equal((RequestState.Published, 6UL), (status.State, status.Epoch));
        }
        Assert.DoesNotContain(await ValuesAsync(task),
            value => value.StartsWith("key ", StringComparison.Ordinal) && !value.EndsWith(" v4.", StringComparison.Ordinal));
    }

    [Fact]
    public async Task The_latest_version_is_never_erased()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        await using TaskHost task = await TaskHost.StartAsync(folder);
        await PublishAsync(task, updates, "a-one", "a-two");
        foreach ((string key, ulong from, ulong through, ulong latest) in ((string, ulong, ulong, ulong)[])[("alice", 1, 2, 2),
            ("alice", 2, 2, 2), ("alice", 3, 9, 2), ("nobody", 1, 1, 0)])
        {
            AcceptRequest order = Order(key, from, through);
            await updates.AcceptAsync(order);
            // The task publishes this update in the same step in which it decides about the erasure. The update has no effect on that
            // decision, because the task decides by the state of the previous epoch.
            await updates.AcceptAsync("bob", "b");
            await task.StepAsync();
            RequestStatus status = await updates.StatusAsync(order);
            Assert.Equal((RequestState.Refused, RefusalReason.LatestVersion, new ExpectedVersion(0, latest)),
                (status.State, status.Refusal!.Reason, status.Refusal.Current));
        }
        Assert.Equal(["a-one", "a-two"], (await ValuesAsync(task)).Where(value => value.StartsWith('a')));
        AcceptRequest control = Order("alice", 1, 1);
        await updates.AcceptAsync(control);
        await task.StepAsync();
        Assert.Equal(RequestState.Published, (await updates.StatusAsync(control)).State);
        Assert.Equal(["a-two"], (await ValuesAsync(task)).Where(value => value.StartsWith('a')));
    }

    [Fact]
    public async Task All_of_a_user_goes_once_the_user_has_left()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        await using TaskHost task = await TaskHost.StartAsync(folder);
        await PublishAsync(task, updates, "plain");
        await PublishAsync(
            task, updates, Change(true, ["phone", "tablet"], []),
            new AcceptItem(StructureId.Usernames, "ada"u8.ToArray(), "user 1"u8.ToArray(), null), Updates.Item("phone", "p-one"),
            Updates.Item("tablet", "t-one"));
        await PublishAsync(task, updates, Change(false, [], ["tablet"]), Updates.Item("phone", "p-two"));

        AcceptRequest early = OrderOfUser("user 1");
        await updates.AcceptAsync(early);
        await task.StepAsync();
        Assert.Equal(RefusalReason.UserNotLeft, (await updates.StatusAsync(early)).Refusal!.Reason);
        Assert.Equal(7, (await ValuesAsync(task)).Length);

        await PublishAsync(task, updates, Change(false, [], []),
            new AcceptItem(StructureId.Decommissioned, "user 1"u8.ToArray(), new byte[] { 1 }, null));
        AcceptRequest order = OrderOfUser("user 1");
        await updates.AcceptAsync(order);
        await task.StepAsync();
        RequestStatus status = await updates.StatusAsync(order);
        Assert.Equal(RequestState.Published, status.State);
        // The user's username and the entry in the structure `decommissioned` stay, and all values of other users stay.
        Assert.Equal(["\u0001", "plain", "user 1"], await ValuesAsync(task));
        Assert.Equal(
            [(StructureId.Devices, 1UL), (StructureId.Devices, 2UL), (StructureId.Keys, 1UL), (StructureId.Keys, 1UL),
                (StructureId.Keys, 2UL)],
            (await ReceiptAsync(folder, status.Epoch, order)).Select(erased => (erased.Structure, erased.Version)).Order());
    }

    [Fact]
    public async Task An_order_that_this_build_does_not_know_stops_the_task_with_a_sentence()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        await using TaskHost task = await TaskHost.StartAsync(folder);
        await PublishAsync(task, updates, "a-one");
        await updates.AcceptAsync(
            Updates.Request(new AcceptItem(StructureId.Decommissioned, "alice"u8.ToArray(), new byte[] { 7, 0, 0 }, null)));
        StorageCorruptException e = await Assert.ThrowsAsync<StorageCorruptException>(task.StepAsync);
        Assert.Contains("find out who wrote it", e.Message, StringComparison.Ordinal);
    }

    [Trait("Level", "Deep")]
    [Fact]
    public async Task Killed_at_any_step_it_is_erased_in_the_end()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        await using (TaskHost task = await TaskHost.StartAsync(folder))
        {
            await PublishAsync(task, updates, [.. Enumerable.Range(0, s_points.Length + 2).Select(i => $"value-{i}-end")]);
        }
        ulong version = 0;
        foreach (string point in s_points)
        {
            AcceptRequest order = Order("alice", ++version, version);
            await updates.AcceptAsync(order);
            await using (TaskProcess killed = TaskProcess.Start(folder, point))
            {
                Assert.Equal(TaskProcess.Killed, await killed.ExitAsync());
            }
            await using TaskHost task = await TaskHost.StartAsync(folder);
            do
            {
                await task.StepAsync();
            }
            while ((await updates.StatusAsync(order)).State == RequestState.Pending);
            Assert.Equal(RequestState.Published, (await updates.StatusAsync(order)).State);
            string erased = $"value-{version - 1}-end";
            Assert.DoesNotContain(erased, await ValuesAsync(task));
            Assert.Contains($"value-{version}-end", await ValuesAsync(task));
            Assert.All(Bundles(folder), octets => Assert.DoesNotContain(erased, octets, StringComparison.Ordinal));
        }
    }

    private static AcceptRequest Order(string key, ulong from, ulong through) =>
        Updates.Request(new ErasureOrder(StructureId.Keys, from, through).ToItem(Encoding.UTF8.GetBytes(key)));

    private static AcceptRequest OrderOfUser(string user) => Updates.Request(ErasureOrder.OfUser.ToItem(Encoding.UTF8.GetBytes(user)));

    // Returns item 0 of a request about the user "user 1". It holds the change of the device list.
    private static AcceptItem Change(bool creates, string[] added, string[] removed)
    {
        return new AcceptItem(StructureId.Devices, "user 1"u8.ToArray(), new UserChange(creates, Ids(added), Ids(removed)).Encode(), null);

        static IReadOnlyList<ReadOnlyMemory<byte>> Ids(string[] devices) =>
            [.. devices.Select(device => (ReadOnlyMemory<byte>)Encoding.UTF8.GetBytes(device))];
    }

    // Publishes these values as successive versions of the key "alice", each in an epoch of its own.
    private static async Task PublishAsync(TaskHost task, Updates updates, params string[] values)
    {
        foreach (string value in values)
        {
            await updates.AcceptAsync("alice", value);
            await task.StepAsync();
        }
    }

    private static async Task PublishAsync(TaskHost task, Updates updates, params AcceptItem[] items)
    {
        AcceptRequest request = Updates.Request(items);
        await updates.AcceptAsync(request);
        await task.StepAsync();
        Assert.Equal(RequestState.Published, (await updates.StatusAsync(request)).State);
    }

    private static async Task<IReadOnlyList<ErasedVersion>> ReceiptAsync(TestFolder folder, ulong epoch, AcceptRequest order)
    {
        await using IAcceptStore accept = await folder.OpenAcceptAsync();
        return await accept.ReadReceiptAsync(epoch, order.RequestId, Cancel);
    }

    private static async Task<string[]> ValuesAsync(TaskHost task)
    {
        var values = new List<string>();
        await foreach (LeafBatch batch in task.Store.ReadLeavesAsync(0, ulong.MaxValue, 1000, LeafColumns.All, Cancel))
        {
            foreach (LeafRow row in batch.Rows.Span.ToArray().Where(row => row.ValueOffset != LeafRow.NoValue))
            {
                values.Add(Encoding.UTF8.GetString(batch.Values.Span.Slice((int)row.ValueOffset, (int)row.ValueLength)));
            }
        }
        return [.. values.Order(StringComparer.Ordinal)];
    }

    private static string[] Bundles(TestFolder folder) =>
        [.. Directory.GetFiles(new BoardFolder(folder.Data).Bundles, "*.bundle")
            .Select(path => Encoding.Latin1.GetString(File.ReadAllBytes(path)))];

    private static async Task<string> DatabaseAsync(TestFolder folder, TaskHost task)
    {
        await task.DisposeAsync();
        // When the last connection to the database closes, SQLite writes the write-ahead log back into the database file and removes the
        // log.
        await using (PipelineStore store = await folder.OpenPipelineAsync())
        {
            _ = await store.ReadHeadAsync(Cancel);
        }
        Assert.False(File.Exists(folder.Data.Database + "-wal"));
        return Encoding.Latin1.GetString(await File.ReadAllBytesAsync(folder.Data.Database, Cancel));
    }
}
