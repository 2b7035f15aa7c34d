using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Optiks.Protocol;
using Optiks.Tests.Shared;

namespace Optiks.QueryService.Tests;

/// <summary>Tests that a replica starts from its snapshot on the disk, but not from a snapshot that does not belong to the log.</summary>
public sealed class SnapshotTests : TwoEpochTests
{
    private const string Name = "saved";

    private string SnapshotFile => Path.Combine(Log.Folder.Replicas, Name, "snapshot");

    [Fact]
    public async Task A_replica_starts_from_what_it_saved_when_it_stopped()
    {
        LoggedEvents first = await RunAsync();
        Assert.True(first.Has("SnapshotSaved"));
        Assert.False(first.Has("SnapshotUsed"));
        Assert.True(File.Exists(SnapshotFile));
        // At this start, no epoch has been published since the snapshot. Before the next start, two epochs are published.
        Assert.True((await RunAsync()).Has("SnapshotUsed"));
        await Log.PublishAsync(("alice", "three"), ("carol", "hers"));
        await Log.PublishAsync();
        LoggedEvents later = await RunAsync();
        Assert.True(later.Has("SnapshotUsed"));
        Assert.False(later.Has("SnapshotRefused"));
        Assert.True(later.Has("SnapshotSaved"));
    }

    [Fact]
    public async Task A_replica_saves_while_it_serves()
    {
        var events = new LoggedEvents();
        await using Replica replica = await StartAsync(events, "00:00:00.001");
        await replica.WaitForEpochAsync(2);
        await Log.PublishAsync(("alice", "three"));
        await replica.WaitForEpochAsync(3);
        while (!events.Has("SnapshotSaved"))
        {
            await Task.Delay(10, TestContext.Current.CancellationToken);
        }
        Assert.True(File.Exists(SnapshotFile));
    }

    [Fact]
    public async Task The_first_one_does_not_wait_for_the_interval()
    {
        var events = new LoggedEvents();
        await using (Replica replica = await StartAsync(events, "01:00:00"))
        {
            await replica.WaitForEpochAsync(2);
            while (!events.Has("SnapshotSaved"))
            {
                await Task.Delay(10, TestContext.Current.CancellationToken);
            }
        }
        // A snapshot exists now, so the restarted replica must not save another one before the interval has passed.
        var later = new LoggedEvents();
        await using Replica restarted = await StartAsync(later, "01:00:00");
        await restarted.WaitForEpochAsync(2);
        await Log.PublishAsync(("alice", "three"));
        await restarted.WaitForEpochAsync(3);
        await Log.PublishAsync(("alice", "four"));
        await restarted.WaitForEpochAsync(4);
        Assert.False(later.Has("SnapshotSaved"));
    }

    [Fact]
    public async Task Zero_saves_never()
    {
        Assert.False((await RunAsync("00:00:00")).Has("SnapshotSaved"));
        Assert.False(File.Exists(SnapshotFile));
    }

    [Fact]
    public async Task A_damaged_snapshot_is_not_used()
    {
        await RunAsync();
        await FileDamage.FlipAsync(SnapshotFile, ^40);
        LoggedEvents events = await RunAsync();
        Assert.True(events.Has("SnapshotRefused"));
        Assert.False(events.Has("SnapshotUsed"));
        // The previous run replaced the damaged snapshot by a new snapshot, which this run uses.
        Assert.True((await RunAsync()).Has("SnapshotUsed"));
    }

    [Fact]
    public async Task A_snapshot_whose_leaf_log_is_lost_is_not_used()
    {
        await RunAsync();
        File.Delete(Path.Combine(Log.Folder.Replicas, Name, "leaves"));
        Assert.True((await RunAsync()).Has("SnapshotRefused"));
    }

    [Fact]
    public async Task A_snapshot_with_other_roots_than_the_record_is_not_used()
    {
        Forge(epochs: 2);
        LoggedEvents events = await RunAsync();
        Assert.True(events.Has("SnapshotRefused"));
        Assert.False(events.Has("SnapshotUsed"));
    }

    [Fact]
    public async Task A_snapshot_newer_than_the_database_is_not_used()
    {
        Forge(epochs: 3);
        LoggedEvents events = await RunAsync();
        Assert.True(events.Has("SnapshotRefused"));
        Assert.False(events.Has("SnapshotUsed"));
    }

    private void Forge(ulong epochs)
    {
        Directory.CreateDirectory(Path.GetDirectoryName(SnapshotFile)!);
        Log.Forge(epochs, SnapshotFile, Path.Combine(Log.Folder.Replicas, Name, "leaves"));
    }

    private Task<Replica> StartAsync(LoggedEvents events, string interval) => Replica.StartAsync(
        Log, Name, services => services.AddSingleton<ILoggerProvider>(events), _ => { },
        "--Optiks:QueryService:SnapshotInterval", interval);

    // Starts the replica, checks that it gives the same answers as a replica that loads the whole log from the database, and stops it.
    private async Task<LoggedEvents> RunAsync(string interval = "01:00:00")
    {
        var events = new LoggedEvents();
        ulong epoch = (ulong)Log.Records.Count - 1;
        await using Replica loaded = await Replica.StartReadyAsync(Log, "loaded", "--Optiks:QueryService:SnapshotInterval", "00:00:00");
        await using (Replica replica = await StartAsync(events, interval))
        {
            await replica.WaitForEpochAsync(epoch);
            const string names = """[{"key": "alice"}, {"key": "bob"}, {"key": "carol"}]""";
            byte[][] answers = await Task.WhenAll(((Replica[])[loaded, replica]).Select(one =>
                one.OctetsAsync(Replica.Post("/v1/lookup?checkpoint_size=2", names, MediaTypes.Lookup))));
            Assert.Equal(answers[0], answers[1]);
            byte[][] histories = await Task.WhenAll(((Replica[])[loaded, replica]).Select(one =>
                one.OctetsAsync(Replica.Post("/v1/monitor", """{"key": "alice"}""", MediaTypes.Monitor), asOwner: true)));
            Assert.Equal(histories[0], histories[1]);
        }
        return events;
    }
}
