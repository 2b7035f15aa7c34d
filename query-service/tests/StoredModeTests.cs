using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Optiks.Protocol;
using Optiks.Tests.Shared;

namespace Optiks.QueryService.Tests;

/// <summary>
/// Tests that a replica in stored mode gives the same bytes as a replica in linked mode, and that it continues from its node store after a
/// restart.
/// </summary>
public sealed class StoredModeTests : TwoEpochTests
{
    private const string Name = "stored";
    private const string CacheBytes = "1048576";

    private string Folder => Path.Combine(Log.Folder.Replicas, Name);

    [Fact]
    public async Task It_answers_like_linked_mode_while_epochs_come_and_after_restarts()
    {
        await using Replica linked = await Replica.StartReadyAsync(Log, "linked");
        for (int run = 0; run < 3; run++)
        {
            var events = new LoggedEvents();
            await using Replica stored = await StartAsync(events);
            await CompareAsync(linked, stored);
            Assert.Equal(run > 0, events.Has("SnapshotUsed"));
            Assert.False(events.Has("SnapshotRefused"));
            await Log.PublishAsync(("alice", $"run {run}"), ($"new {run}", "first"));
            await Log.PublishAsync();
            await CompareAsync(linked, stored);
            // Only the first run saves a snapshot: the interval has not passed yet, and the end of a run needs no snapshot.
            await (run == 0 ? stored.WaitAsync(() => events.Has("SnapshotSaved")) : Task.CompletedTask);
            Assert.Equal(run == 0 ? 1 : 0, events.Count("SnapshotSaved"));
        }
        Assert.True(Directory.Exists(Path.Combine(Folder, "nodes")));
        Assert.True(File.Exists(Path.Combine(Folder, "snapshot")));
    }

    [Fact]
    public async Task A_store_that_cannot_be_used_is_made_again()
    {
        await using Replica linked = await Replica.StartReadyAsync(Log, "linked");
        await CompareRestartAsync(linked, isRefused: false, isUsed: false);
        await File.WriteAllTextAsync(Path.Combine(Folder, "nodes", "data.mdb"), "no store", TestContext.Current.CancellationToken);
        await CompareRestartAsync(linked, isRefused: true);
        await CompareRestartAsync(linked, isRefused: false);
        File.Delete(Path.Combine(Folder, "leaves"));
        await CompareRestartAsync(linked, isRefused: true);
        await CompareRestartAsync(linked, isRefused: false);
    }

    [Fact]
    public async Task The_mode_may_change_at_any_start()
    {
        await using Replica linked = await Replica.StartReadyAsync(Log, "linked");
        string nodes = Path.Combine(Folder, "nodes");
        await CompareRestartAsync(linked, isRefused: false, isUsed: false);
        for (int run = 0; run < 2; run++)
        {
            // Stored mode has followed this epoch, but its snapshot is older. Linked mode continues from the snapshot.
            await Log.PublishAsync(("alice", $"run {run}"), ("new 1", $"run {run}"));
            await CompareRestartAsync(linked, isRefused: false);
            var events = new LoggedEvents();
            await using (Replica again =
                await Replica.StartAsync(Log, Name, services => services.AddSingleton<ILoggerProvider>(events), _ => { }))
            {
                await CompareAsync(linked, again);
                Assert.True(events.Has("SnapshotUsed"));
                Assert.False(Directory.Exists(nodes));
            }
            // Stored mode makes its node store again from the snapshot that linked mode saved at its end.
            await CompareRestartAsync(linked, isRefused: false);
            Assert.True(Directory.Exists(nodes));
        }
    }

    [Fact]
    public async Task What_linked_mode_saved_becomes_the_node_store()
    {
        await using Replica linked = await Replica.StartReadyAsync(Log, "linked");
        string snapshot = Path.Combine(Folder, "snapshot");
        for (int run = 0; run < 2; run++)
        {
            await (await Replica.StartReadyAsync(Log, Name)).DisposeAsync();
            Assert.True(File.Exists(snapshot));
            await Log.PublishAsync(("alice", $"run {run}"));
            // The test makes a directory that an earlier crash may have left behind.
            _ = Directory.CreateDirectory(Path.Combine(Folder, "nodes.new"));
            await CompareRestartAsync(linked, isRefused: false);
            await CompareRestartAsync(linked, isRefused: false);
            Assert.True(File.Exists(snapshot), "stored mode saves its own snapshot");
            Directory.Delete(Path.Combine(Folder, "nodes"), recursive: true);
        }
        await (await Replica.StartReadyAsync(Log, Name)).DisposeAsync();
        await FileDamage.FlipAsync(snapshot, ^20);
        await CompareRestartAsync(linked, isRefused: true);
        Assert.Equal(["highest", "leaves", "lock", "nodes", "snapshot"],
            Directory.GetFileSystemEntries(Folder).Select(Path.GetFileName).Order(StringComparer.Ordinal));
    }

    private async Task CompareRestartAsync(Replica linked, bool isRefused, bool? isUsed = null)
    {
        var events = new LoggedEvents();
        await using Replica stored = await StartAsync(events);
        await CompareAsync(linked, stored);
        Assert.Equal(isRefused, events.Has("SnapshotRefused"));
        Assert.Equal(isUsed ?? !isRefused, events.Has("SnapshotUsed"));
    }

    private Task<Replica> StartAsync(LoggedEvents events) => Replica.StartAsync(
        Log, Name, services => services.AddSingleton<ILoggerProvider>(events), _ => { }, "--Optiks:QueryService:NodeCacheBytes",
        CacheBytes);

    private async Task CompareAsync(Replica linked, Replica stored)
    {
        ulong epoch = (ulong)Log.Records.Count - 1;
        await linked.WaitForEpochAsync(epoch);
        await stored.WaitForEpochAsync(epoch);
        const string names = """[{"key": "alice"}, {"key": "bob"}, {"key": "new 1"}, {"key": "nobody"}]""";
        foreach ((string path, string form) in ((string, string)[])[("/v1/lookup", MediaTypes.Lookup), ("/v1/history", MediaTypes.History),
            ("/v1/monitor", MediaTypes.Monitor)])
        {
            byte[] expected = await linked.OctetsAsync(Replica.Post(path, names, form), asOwner: true);
            Assert.Equal(expected, await stored.OctetsAsync(Replica.Post(path, names, form), asOwner: true));
        }
    }
}
