using System.Net;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Optiks.Protocol;
using Optiks.Tests.Shared;

namespace Optiks.QueryService.Tests;

/// <summary>
/// Tests that replicas give the same answers after the log's next period has begun, in linked and in stored mode. Some replicas follow the
/// log into the period, and others load the log before or after the switch.
/// </summary>
public sealed class PeriodSwitchTests : IAsyncLifetime
{
    private TestLog? _log;

    private TestLog Log => _log!;

    public async ValueTask InitializeAsync()
    {
        _log = await TestLog.CreateAsync(periodLengthMs: 1);
        await Log.PublishItemsAsync(
        [
            TestLog.Item(StructureId.Usernames, "al", "alice"u8.ToArray()),
            TestLog.Item(StructureId.Devices, "alice", DeviceList.Encode(["phone"u8.ToArray()])),
            TestLog.Item(StructureId.Keys, "phone", "one"u8.ToArray()), TestLog.Item(StructureId.Keys, "plain", "its"u8.ToArray()),
        ]);
    }

    public async ValueTask DisposeAsync() => await Log.DisposeAsync();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task All_say_the_same_before_between_and_after_switches(bool isStored)
    {
        await using Replica first = await Replica.StartReadyAsync(Log, "first");
        var events = new LoggedEvents();
        await using Replica second = await StartAsync("second", isStored, events);
        await CompareAsync(first, second);
        await Log.BeginNextAsync();
        await Log.StageAsync("phone");
        await Log.PublishItemsAsync([TestLog.Item(StructureId.Keys, "phone", "two"u8.ToArray())]);
        await CompareAsync(first, second);
        await Log.StageAllAsync();
        await Log.SwitchAsync();
        await CompareAsync(first, second);
        await Log.PublishItemsAsync(
            [TestLog.Item(StructureId.Keys, "phone", "three"u8.ToArray()),
                TestLog.Item(StructureId.Usernames, "ally", "alice"u8.ToArray())]);
        await CompareAsync(first, second);
        await Log.NextPeriodAsync();
        await Log.PublishItemsAsync([TestLog.Item(StructureId.Keys, "new", "its"u8.ToArray())]);
        await CompareAsync(first, second);
        Assert.False(events.Has("EpochRefused"));
        Assert.False(events.Has("NextPeriodRefused"));

        // The replica `cold` loads the log only from the database. The replica `third` loads it from the files of the replica `second`,
        // which is stopped. No files of ended periods may remain.
        await using Replica cold = await StartAsync("cold", isStored, new LoggedEvents());
        await CompareAsync(first, cold);
        await second.DisposeAsync();
        var again = new LoggedEvents();
        await using Replica third = await StartAsync("second", isStored, again);
        await CompareAsync(first, third);
        Assert.True(again.Has("SnapshotUsed"));
        string folder = Path.Combine(Log.Folder.Replicas, "second");
        await third.WaitAsync(() => !File.Exists(Path.Combine(folder, "leaves")) && !Directory.Exists(Path.Combine(folder, "nodes")));
        Assert.Equal(
            ["1", "2"], Directory.EnumerateDirectories(Path.Combine(folder, "periods")).Select(path => Path.GetFileName(path)).Order());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_replica_that_restarts_at_a_switch_continues_from_its_own_files(bool isStored)
    {
        await using Replica first = await Replica.StartReadyAsync(Log, "first");
        await using (Replica second = await StartAsync("second", isStored, new LoggedEvents()))
        {
            await CompareAsync(first, second);
            await Log.NextPeriodAsync();
            await CompareAsync(first, second);
        }
        var events = new LoggedEvents();
        await using (Replica again = await StartAsync("second", isStored, events))
        {
            await CompareAsync(first, again);
            await Log.PublishItemsAsync([TestLog.Item(StructureId.Keys, "phone", "two"u8.ToArray())]);
            await CompareAsync(first, again);
        }
        Assert.True(events.Has("SnapshotUsed"));
        Assert.False(events.Has("SnapshotRefused"));
    }

    /// <summary>The files of a running replica are those that a killed process leaves.</summary>
    [Fact]
    public async Task A_replica_in_stored_mode_that_is_killed_at_a_switch_continues_from_its_node_store()
    {
        await using Replica first = await Replica.StartReadyAsync(Log, "first");
        await using Replica second = await StartAsync("second", isStored: true, new LoggedEvents());
        await CompareAsync(first, second);
        await Log.BeginNextAsync();
        await Log.StageAllAsync();
        await Log.SwitchAsync();
        await CompareAsync(first, second);
        string from = Path.Combine(Log.Folder.Replicas, "second");
        string to = Path.Combine(Log.Folder.Replicas, "killed");
        foreach (string folder in Directory.EnumerateDirectories(from, "*", SearchOption.AllDirectories).Prepend(from))
        {
            DirectoryInfo made = Directory.CreateDirectory(folder.Replace(from, to, StringComparison.Ordinal));
            made.UnixFileMode = File.GetUnixFileMode(folder);
            foreach (string file in Directory.EnumerateFiles(folder)
                .Where(file => Path.GetFileName(file) is not ("lock" or "snapshot" or "snapshot.new")))
            {
                File.Copy(file, Path.Combine(made.FullName, Path.GetFileName(file)));
            }
        }
        var events = new LoggedEvents();
        await using Replica killed = await StartAsync("killed", isStored: true, events);
        await CompareAsync(first, killed);
        Assert.True(events.Has("SnapshotUsed"));
        Assert.False(events.Has("SnapshotRefused"));
    }

    /// <summary>The replica stops while it has some copies of the next period, whose node store is unfinished.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_replica_in_stored_mode_that_restarts_while_copies_are_staged_makes_them_again(bool isSwitchedMeanwhile)
    {
        await using Replica first = await Replica.StartReadyAsync(Log, "first");
        await using (Replica second = await StartAsync("second", isStored: true, new LoggedEvents()))
        {
            await Log.BeginNextAsync();
            await Log.StageAsync("phone");
            await Log.PublishItemsAsync(
                [TestLog.Item(StructureId.Keys, "phone", "two"u8.ToArray()), TestLog.Item(StructureId.Usernames, "ally", "alice"u8.ToArray())]);
            await CompareAsync(first, second);
            await second.WaitAsync(() => Directory.Exists(Path.Combine(Log.Folder.Replicas, "second", "periods", "1", "nodes")));
        }
        if (isSwitchedMeanwhile)
        {
            await Log.StageAllAsync();
            await Log.SwitchAsync();
        }
        var events = new LoggedEvents();
        await using Replica again = await StartAsync("second", isStored: true, events);
        await CompareAsync(first, again);
        if (!isSwitchedMeanwhile)
        {
            await Log.StageAllAsync();
            await Log.SwitchAsync();
        }
        await CompareAsync(first, again);
        Assert.Equal(isSwitchedMeanwhile, events.Has("SnapshotRefused"));
        Assert.False(events.Has("NextPeriodRefused"));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_switch_that_the_copies_do_not_give_is_refused_and_the_last_epoch_stays(bool isStored)
    {
        await using Replica replica = await StartAsync("first", isStored, new LoggedEvents());
        await replica.WaitForEpochAsync(1);
        await Log.BeginNextAsync();
        await Log.StageAllAsync();
        await Log.SwitchAsync(record =>
            record with
            {
                Structures =
                [.. record.Structures.Select(
                    structure => structure.Count == 0
                        ? structure
                        : structure with { Root = Enumerable.Repeat((byte)1, structure.Root.Length).ToArray() })]
            });
        await replica.WaitForTroubleAsync("root and count of structure");
        Assert.Equal(HttpStatusCode.OK, (await replica.SendAsync(Replica.Get("/v1/lookup?key=phone"))).StatusCode);
    }

    private async Task<Replica> StartAsync(string name, bool isStored, LoggedEvents events) => await Replica.StartAsync(
        Log, name, services => services.AddSingleton<ILoggerProvider>(events), _ => { },
        isStored ? ["--Optiks:QueryService:NodeCacheBytes", "1048576"] : []);

    private async Task CompareAsync(Replica one, Replica other)
    {
        ulong epoch = (ulong)Log.Records.Count - 1;
        await one.WaitForEpochAsync(epoch);
        await other.WaitForEpochAsync(epoch);
        const string names = """[{"key": "phone"}, {"key": "plain"}, {"key": "new"}, {"key": "nobody"}]""";
        foreach ((string path, string form) in ((string, string)[])[("/v1/lookup", MediaTypes.Lookup), ("/v1/history", MediaTypes.History),
            ("/v1/monitor", MediaTypes.Monitor)])
        {
            byte[] expected = await one.OctetsAsync(Replica.Post(path, names, form), asOwner: true);
            Assert.Equal(expected, await other.OctetsAsync(Replica.Post(path, names, form), asOwner: true));
        }
        const string users = """[{"username": "al"}, {"username": "ally"}]""";
        Assert.Equal(await one.OctetsAsync(Replica.Post("/v1/users/lookup", users, MediaTypes.UserLookup)),
            await other.OctetsAsync(Replica.Post("/v1/users/lookup", users, MediaTypes.UserLookup)));
    }
}
