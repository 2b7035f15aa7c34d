using System.Text;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage;
using Optiks.UpdateTask.Board;
using Optiks.UpdateTask.Tests.Support;

namespace Optiks.UpdateTask.Tests;

/// <summary>
/// Tests epochs with requests about users: the limits on their size, the contents of their bundles, and requests that the task cannot
/// decide.
/// </summary>
public sealed class UserEpochTests
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task New_lists_count_towards_an_epochs_limit()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        UserUpdate[] users = [.. Enumerable.Range(0, 3)
            .Select(i => UserUpdate.Of($"user {i}").Create($"name {i}").AddDevice($"{i}{new string('d', 200)}", ""))];
        await updates.AcceptAsync([.. users.Select(user => user.Request())]);
        await using (TaskHost task = await TaskHost.StartAsync(folder))
        {
            await task.StepAsync();
        }
        // Each request has about 60 bytes, but results in a new device list of more than 200 bytes.
        await updates.AcceptAsync([.. Enumerable.Range(0, 3).Select(i => UserUpdate.Of($"user {i}").AddDevice($"new {i}", "").Request())]);
        await updates.AcceptAsync("plain", "value");
        await using (TaskHost task = await TaskHost.StartAsync(folder, options => options.MaxBytesPerEpoch = 450))
        {
            Assert.True(await task.StepAsync(behind: false));
            Assert.Equal(3, await task.Store.CountPendingAsync(Cancel));
            // The previous epoch had no room for the remaining updates. They were read in advance for this epoch, which takes all of them.
            Assert.False(await task.StepAsync(behind: false));
            Assert.Equal(0, await task.Store.CountPendingAsync(Cancel));
        }
        Assert.Equal(3UL, await HistoryCheck.RunAsync(folder, updates));
    }

    [Fact]
    public async Task An_epoch_takes_one_request_whatever_its_list_has()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        await updates.AcceptAsync(
            UserUpdate.Of("alice").Create("al").AddDevice(new string('d', 200), "").Request(),
            UserUpdate.Of("bob").Create("bo").AddDevice(new string('e', 200), "").Request());
        await using (TaskHost task = await TaskHost.StartAsync(folder, options => options.MaxBytesPerEpoch = 10))
        {
            await task.StepAsync();
            Assert.Equal(3, await task.Store.CountPendingAsync(Cancel));
            await task.StepAsync();
            Assert.Equal(0, await task.Store.CountPendingAsync(Cancel));
        }
        await HistoryCheck.RunAsync(folder, updates);
    }

    [Fact]
    public async Task Lists_of_more_users_than_are_read_at_a_time_are_changed_in_one_epoch()
    {
        const int Users = 150;
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        await updates.AcceptAsync(
            [.. Enumerable.Range(0, Users)
                .Select(i => UserUpdate.Of($"user {i}").Create($"name {i}").AddDevice($"device {i}", "1").Request())]);
        await using (TaskHost task = await TaskHost.StartAsync(folder))
        {
            await task.StepAsync();
            // Every third request can be decided without the user's device list. Every fifth of the other requests must be refused.
            await updates.AcceptAsync([.. Enumerable.Range(0, Users).Select(i =>
                (i % 3 == 0 ? UserUpdate.Of($"user {i}").AddUsername($"second {i}")
                : i % 5 == 0 ? UserUpdate.Of($"user {i}").SetDevice("nobody's", "2")
                : UserUpdate.Of($"user {i}").AddDevice($"another {i}", "2").SetDevice($"device {i}", "2")).Request())
                .DistinctBy(request => LogModel.Text(request.Items[^1].Key))]);
            await task.StepAsync();
            Assert.Equal(2UL, task.Session.Last.Epoch);
            using var keys = new ByteStrings();
            keys.Add("user 149"u8);
            Assert.Equal(
                ["another 149", "device 149"],
                DeviceList.Decode(task.Session.Directory.NewestValues(StructureId.Devices, keys)[0]!.Value).Select(LogModel.Text));
        }
        await HistoryCheck.RunAsync(folder, updates);
    }

    [Fact]
    public async Task A_bundle_says_that_a_list_stayed_as_it_is_and_nothing_counts_as_refused()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        await updates.AcceptAsync(UserUpdate.Of("alice").Create("al").AddDevice("device", "1").Request());
        await using TaskHost task = await TaskHost.StartAsync(folder);
        await task.StepAsync();
        await updates.AcceptAsync(UserUpdate.Of("alice").SetDevice("device", "2").Request());
        await task.StepAsync();
        byte[] octets = await File.ReadAllBytesAsync(Path.Combine(new BoardFolder(folder.Data).Bundles, "2.bundle"), Cancel);
        EpochContent bundle = EpochBundle.Decode(octets);
        Assert.Equal([new ItemResult.Unchanged(new ExpectedVersion(0, 1)), new ItemResult.Leaf(0)],
            bundle.Outcomes.Select(outcome => outcome.Result));
        Assert.Equal(octets, EpochBundle.Encode(bundle).ToArray());
    }

    [Theory]
    [InlineData(StructureId.Devices, "u", "no change of a user")]
    [InlineData(StructureId.Usernames, "n", "u")]
    public async Task A_request_that_no_service_accepts_is_named_and_nothing_is_decided(StructureId structure, string key, string value)
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        await updates.AcceptAsync("alice", "a1");
        AcceptRequest request = Updates.Request(
            new AcceptItem(structure, Encoding.UTF8.GetBytes(key), Encoding.UTF8.GetBytes(value), null));
        await updates.AcceptAsync(request);
        await AssertRefusedAsync(folder, request);
    }

    [Fact]
    public async Task A_value_beyond_the_configuration_is_named_and_nothing_is_decided()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        await using (TaskHost task = await TaskHost.StartAsync(folder, log: options => options.MaxValueLength = 4))
        {
            await updates.AcceptAsync("alice", "four");
            await task.StepAsync();
            Assert.Equal(1UL, task.Session.Last.Epoch);
        }
        AcceptRequest request = Updates.Request(Updates.Item("alice", "five."));
        await updates.AcceptAsync(request);
        await AssertRefusedAsync(folder, request);
    }

    private static async Task AssertRefusedAsync(TestFolder folder, AcceptRequest request)
    {
        await using TaskHost task = await TaskHost.StartAsync(folder);
        ulong before = task.Session.Last.Epoch;
        StorageCorruptException e = await Assert.ThrowsAsync<StorageCorruptException>(() => task.StepAsync());
        Assert.Contains($"The pending request {request.RequestId} cannot be decided: ", e.Message, StringComparison.Ordinal);
        Assert.Contains("run the update-task of that version; otherwise restore the database.", e.Message, StringComparison.Ordinal);
        Assert.Equal(before, task.Session.Last.Epoch);
        Assert.True(await task.Store.CountPendingAsync(Cancel) > 0);
    }
}
