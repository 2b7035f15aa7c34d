using Optiks.Protocol;
using Optiks.Storage;
using Optiks.UpdateTask.Board;
using Optiks.UpdateTask.Tests.Support;

namespace Optiks.UpdateTask.Tests;

/// <summary>Tests what epochs contain, and when the task makes an epoch.</summary>
public sealed class EpochTests
{
    [Fact]
    public async Task Updates_are_published_once_and_the_history_checks_out()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        await updates.AcceptAsync("alice", "a1");
        await using (TaskHost task = await TaskHost.StartAsync(folder))
        {
            await task.StepAsync();
            await updates.AcceptAsync(Updates.Request(Updates.Item("alice", "a2"), Updates.Item("bob", "b1")));
            await updates.AcceptAsync("alice", "a3");
            await updates.AcceptAsync("no value", "");
            await task.StepAsync();
            // One update still waits, because an epoch takes at most one version of each key.
            Assert.Equal(1, await task.Store.CountPendingAsync(TestContext.Current.CancellationToken));
            await task.StepAsync();
            Assert.Equal(3UL, task.Session.Last.Epoch);
        }
        RequestStatus first = await updates.StatusAsync(updates.Accepted[0]);
        Assert.Equal((RequestState.Published, 1UL, 1UL), (first.State, first.Epoch, first.Items[0].Version));
        RequestStatus second = await updates.StatusAsync(updates.Accepted[1]);
        Assert.Equal([2UL, 1UL], second.Items.Select(item => item.Version));
        Assert.Equal(3UL, await HistoryCheck.RunAsync(folder, updates));
    }

    [Fact]
    public async Task A_new_folder_gets_keys_a_trust_anchor_and_a_signed_empty_log()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        await using (TaskHost task = await TaskHost.StartAsync(folder, log: options => options.Origin = "log.example/test"))
        {
            await task.StepAsync();
            Assert.Equal(0UL, task.Session.Last.Epoch);
        }
        Assert.Equal(0UL, await HistoryCheck.RunAsync(folder));
        Assert.Equal("log.example/test", TrustAnchor.Load(folder.Data.TrustAnchor).Configuration.Origin);
        foreach (string secret in (string[])[folder.Data.KeyEncryptionKey, folder.Data.LogKey, folder.Data.ApiKey, folder.Data.ApiKeys])
        {
            Assert.Equal(AtomicFile.PrivateMode, File.GetUnixFileMode(secret));
        }
        string state = new BoardFolder(folder.Data).State;
        Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute, File.GetUnixFileMode(state));
    }

    [Fact]
    public async Task An_epoch_without_updates_appears_when_the_heartbeat_is_due_and_not_before()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var time = new ManualTime();
        await using (TaskHost task = await TaskHost.StartAsync(folder, options => options.LeaseDuration = TimeSpan.FromMinutes(5),
            options => options.Heartbeat = TimeSpan.FromMinutes(1), time))
        {
            await task.StepAsync();
            time.Advance(TimeSpan.FromSeconds(4));
            await task.StepAsync();
            Assert.Equal(0UL, task.Session.Last.Epoch);
            time.Advance(TimeSpan.FromSeconds(56));
            await task.StepAsync();
            Assert.Equal(1UL, task.Session.Last.Epoch);
        }
        Assert.Equal(1UL, await HistoryCheck.RunAsync(folder));
    }

    [Fact]
    public async Task An_expected_version_that_is_not_the_latest_refuses_the_whole_request()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        AcceptRequest creates = Updates.Request(Updates.Item("alice", "a1", new ExpectedVersion(0, 0)));
        AcceptRequest wrong = Updates.Request(Updates.Item("bob", "b1"), Updates.Item("carol", "c1", new ExpectedVersion(0, 1)));
        AcceptRequest follows = Updates.Request(Updates.Item("alice", "a2", new ExpectedVersion(0, 1)));
        AcceptRequest otherPeriod = Updates.Request(Updates.Item("alice", "a3", new ExpectedVersion(1, 2)));
        await updates.AcceptAsync(creates, wrong, follows, otherPeriod);
        await using (TaskHost task = await TaskHost.StartAsync(folder))
        {
            for (int i = 0; i < 4; i++)
            {
                await task.StepAsync();
            }
        }
        Assert.Equal(RequestState.Published, (await updates.StatusAsync(creates)).State);
        Assert.Equal(RequestState.Published, (await updates.StatusAsync(follows)).State);
        RequestStatus refused = await updates.StatusAsync(wrong);
        Assert.Equal((RequestState.Refused, new Refusal(RefusalReason.ExpectedVersion, 1, new ExpectedVersion(0, 0))),
            (refused.State, refused.Refusal!));
        RequestStatus stale = await updates.StatusAsync(otherPeriod);
        Assert.Equal((RequestState.Refused, new Refusal(RefusalReason.ExpectedVersion, 0, new ExpectedVersion(0, 2))),
            (stale.State, stale.Refusal!));
        // The refused request did not change the key "bob", so the log has only two leaves.
        await HistoryCheck.RunAsync(folder);
        await using TaskHost again = await TaskHost.StartAsync(folder);
        Assert.Equal(2UL, again.Session.Directory.Stats.Leaves);
    }

    [Fact]
    public async Task An_epoch_takes_no_more_than_its_limit()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        await updates.AcceptAsync([.. Enumerable.Range(0, 25).Select(i => Updates.Request(Updates.Item($"key {i}", "value")))]);
        await using (TaskHost task = await TaskHost.StartAsync(folder, options => options.MaxUpdatesPerEpoch = 10))
        {
            var counts = new List<long>();
            for (int i = 0; i < 3; i++)
            {
                await task.StepAsync();
                counts.Add(await task.Store.CountPendingAsync(TestContext.Current.CancellationToken));
            }
            Assert.Equal([15, 5, 0], counts);
        }
        await HistoryCheck.RunAsync(folder, updates);
    }

    [Fact]
    public async Task Bundles_hold_the_epoch_and_only_the_last_are_kept()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        await using TaskHost task = await TaskHost.StartAsync(folder, options => options.KeptBundles = 2);
        for (int i = 1; i <= 4; i++)
        {
            await updates.AcceptAsync($"key {i}", $"value {i}");
            await task.StepAsync();
        }
        var board = new BoardFolder(folder.Data);
        Assert.Equal(["3.bundle", "4.bundle"],
            Directory.EnumerateFiles(board.Bundles).Select(path => Path.GetFileName(path)).Order(StringComparer.Ordinal));
        byte[] octets = File.ReadAllBytes(Path.Combine(board.Bundles, "4.bundle"));
        EpochContent bundle = EpochBundle.Decode(octets);
        Assert.Equal(task.Session.Last.Record.ToArray(), bundle.Epoch.Record.ToArray());
        Assert.Equal(new LeafOrigin(updates.Accepted[3].RequestId, 0), bundle.Leaves.Origins.Span[0]);
        Assert.Equal("value 4"u8.ToArray(), bundle.Leaves.Values.ToArray());
        Assert.Equal("key 4"u8.ToArray(), bundle.Leaves.Key(0).ToArray());
        Assert.Equal((updates.Accepted[3].RequestId, new ItemResult.Leaf(0)), (bundle.Outcomes[0].RequestId, bundle.Outcomes[0].Result));
        Assert.Equal(octets, EpochBundle.Encode(bundle).ToArray());
        octets[500] ^= 1;
        Assert.Throws<StorageCorruptException>(() => EpochBundle.Decode(octets));
    }
}
