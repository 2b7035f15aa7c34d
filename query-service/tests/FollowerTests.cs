using System.Net;
using System.Text;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.ServiceDefaults;
using Optiks.Storage;
using Optiks.Tests.Shared;

namespace Optiks.QueryService.Tests;

/// <summary>Tests what a replica serves, and what it refuses to serve, while it follows new epochs.</summary>
public sealed class FollowerTests : IAsyncLifetime
{
    private TestLog? _log;

    private TestLog Log => _log!;

    public async ValueTask InitializeAsync() => _log = await TestLog.CreateAsync();

    public async ValueTask DisposeAsync() => await Log.DisposeAsync();

    [Fact]
    public async Task New_epochs_are_followed()
    {
        await using Replica replica = await Replica.StartReadyAsync(Log);
        Assert.Null(await ValueAsync(replica, "alice"));
        await Log.PublishAsync(("alice", "one"));
        await replica.WaitForEpochAsync(1);
        Assert.Equal("one", await ValueAsync(replica, "alice"));
        await Log.PublishAsync();
        await Log.PublishAsync(("alice", "two"), ("bob", "his"));
        await replica.WaitForEpochAsync(3);
        Assert.Equal(("two", "his"), (await ValueAsync(replica, "alice"), await ValueAsync(replica, "bob")));
    }

    [Fact]
    public async Task Nothing_beyond_the_boards_checkpoint_is_served()
    {
        await Log.PublishAsync(("alice", "one"));
        await using Replica first = await Replica.StartReadyAsync(Log, "first");
        Log.HoldsCheckpoints = true;
        await Log.PublishAsync(("alice", "two"));
        await Log.PublishAsync(("alice", "three"));
        await first.WaitAsync(async () => (await first.ReadinessAsync()).Body.Contains(
            "Serving epoch 1. Epochs up to 3 wait for their checkpoint.", StringComparison.Ordinal));
        Assert.Equal(HttpStatusCode.OK, (await first.ReadinessAsync()).Status);
        Assert.Equal("one", await ValueAsync(first, "alice"));
        // A replica that starts while the checkpoint is missing serves the same epoch as the first replica, and no later one.
        await using Replica second = await Replica.StartAsync(Log, "second");
        await second.WaitForEpochAsync(1, " Epochs up to 3 wait for their checkpoint.");
        Assert.Equal("one", await ValueAsync(second, "alice"));

        await Log.PublishCheckpointAsync();
        foreach (Replica replica in (Replica[])[first, second])
        {
            await replica.WaitForEpochAsync(3);
            Assert.Equal("three", await ValueAsync(replica, "alice"));
        }
        // The replica must not go back to an older board, and must not accept a note that is not a checkpoint of this log.
        string checkpoint = Path.Combine(Log.Folder.Board, "log", "checkpoint");
        await File.WriteAllBytesAsync(checkpoint, Log.Records[1].Checkpoint.ToArray(), TestContext.Current.CancellationToken);
        await Log.PublishAsync(("alice", "four"));
        await first.WaitForTroubleAsync("The board is behind: this replica has served epoch 3; the board");
        await File.WriteAllTextAsync(checkpoint, "nothing\n", TestContext.Current.CancellationToken);
        await first.WaitForTroubleAsync("checkpoint is not this log");
        Assert.Equal("three", await ValueAsync(first, "alice"));
        File.Delete(checkpoint);
        await Log.PublishCheckpointAsync();
        await first.WaitForEpochAsync(4);
    }

    [Fact]
    public async Task A_period_that_is_made_ahead_is_not_the_one_that_is_served()
    {
        await Log.PublishAsync(("alice", "one"));
        await using Replica first = await Replica.StartReadyAsync(Log, "first");
        // The secrets of this period are unusable, so no replica can unwrap them.
        await Log.BeginPeriodAsync();
        await Log.PublishAsync(("alice", "two"));
        await first.WaitForEpochAsync(2);
        Assert.Equal("two", await ValueAsync(first, "alice"));
        await using Replica second = await Replica.StartReadyAsync(Log, "second");
        Assert.Equal("two", await ValueAsync(second, "alice"));
    }

    [Fact]
    public async Task Epochs_with_leaves_of_all_structures_are_followed()
    {
        await using Replica replica = await Replica.StartReadyAsync(Log, "first");
        await Log.PublishItemsAsync(
        [
            TestLog.Item(StructureId.Usernames, "al", "alice"u8.ToArray()),
            TestLog.Item(StructureId.Devices, "alice", DeviceList.Encode(["device"u8.ToArray()])),
            TestLog.Item(StructureId.Keys, "device", "one"u8.ToArray()),
        ]);
        await replica.WaitForEpochAsync(1);
        Assert.Equal("one", await ValueAsync(replica, "device"));
        await Log.PublishItemsAsync(
            [TestLog.Item(StructureId.Decommissioned, "alice", [1]), TestLog.Item(StructureId.Devices, "bob", DeviceList.Encode([]))]);
        await Log.PublishItemsAsync(
            [TestLog.Item(StructureId.Usernames, "bo", "bob"u8.ToArray()), TestLog.Item(StructureId.Keys, "device", "two"u8.ToArray())]);
        await replica.WaitForEpochAsync(3);
        Assert.Equal("two", await ValueAsync(replica, "device"));
        // The first replica followed the log epoch by epoch. This one starts later and loads the log in one step.
        await using Replica second = await Replica.StartReadyAsync(Log, "second");
        Assert.Equal("two", await ValueAsync(second, "device"));
    }

    [Fact]
    public async Task A_replica_that_starts_late_or_again_gives_the_same_octets()
    {
        await using Replica first = await Replica.StartReadyAsync(Log, "first");
        for (int i = 0; i < 5; i++)
        {
            await Log.PublishAsync(("alice", $"{i}"), ($"user{i}", "x"));
        }
        await first.WaitForEpochAsync(5);
        byte[][] answers = [];
        foreach (string name in (string[])["second", "second"])
        {
            await using Replica second = await Replica.StartReadyAsync(Log, name);
            answers = await Task.WhenAll(((Replica[])[first, second]).Select(replica =>
                replica.OctetsAsync(
                    Replica.Post("/v1/lookup?checkpoint_size=2", """[{"key": "alice"}, {"key": "user3"}, {"key": "nobody"}]""",
                        MediaTypes.Lookup))));
            Assert.Equal(answers[0], answers[1]);
            byte[][] histories = await Task.WhenAll(((Replica[])[first, second]).Select(replica =>
                replica.OctetsAsync(Replica.Post("/v1/monitor", """{"key": "alice"}""", MediaTypes.Monitor), asOwner: true)));
            Assert.Equal(histories[0], histories[1]);
        }
    }

    [Trait("Level", "Deep")]
    [Fact]
    public async Task A_start_reads_many_values_in_several_batches()
    {
        await using Replica first = await Replica.StartReadyAsync(Log, "first");
        // The values of five of these epochs together exceed the size of a batch (LeafRange).
        byte[] value = new byte[65_536];
        for (int epoch = 0; epoch < 6; epoch++)
        {
            await Log.PublishAsync([("alice", [(byte)epoch]), .. Enumerable.Range(0, 250).Select(i => ($"{epoch}/{i}", value))]);
        }
        await first.WaitForEpochAsync(6);
        await using Replica second = await Replica.StartReadyAsync(Log, "second");
        byte[][] answers = await Task.WhenAll(((Replica[])[first, second]).Select(replica =>
            replica.OctetsAsync(
                Replica.Post("/v1/lookup", """[{"key": "alice"}, {"key": "0/249"}, {"key": "5/249"}]""", MediaTypes.Lookup))));
        Assert.Equal(answers[0], answers[1]);
    }

    [Fact]
    public async Task Readers_during_epochs_never_get_a_mix()
    {
        await Log.PublishAsync(("alice", "1"), ("bob", "1"));
        await using Replica replica = await Replica.StartReadyAsync(Log);
        const ulong published = 30;
        ulong[] seen = new ulong[3];
        // Both keys change in every epoch, so the test would notice an answer that mixes two epochs, even if that answer were valid.
        Task<int>[] readers = [.. Enumerable.Range(0, seen.Length).Select(reader => Task.Run(async () =>
        {
            int epochs = 0;
            while (seen[reader] < published)
            {
                byte[] answer = await replica.OctetsAsync(
                    Replica.Post("/v1/lookup", """[{"key": "alice"}, {"key": "bob"}]""", MediaTypes.Lookup));
                LookupVerdict verdict = Verify(replica, answer, "alice", "bob");
                Assert.Equal(Reason.Valid, verdict.Reason);
                Assert.Equal(verdict.Head!.Epoch, verdict.Keys[0].Version);
                Assert.Equal(verdict.Head.Epoch, verdict.Keys[1].Version);
                Assert.Equal($"{verdict.Head.Epoch}", Text(answer, verdict.Keys[0]));
                Assert.True(verdict.Head.Epoch >= seen[reader]);
                epochs += verdict.Head.Epoch == seen[reader] ? 0 : 1;
                Volatile.Write(ref seen[reader], verdict.Head.Epoch);
            }
            return epochs;
        }))];
        for (ulong i = 2; i <= published; i++)
        {
            await Log.PublishAsync(("alice", $"{i}"), ("bob", $"{i}"));
            if (i % 5 == 0)
            {
                await replica.WaitForEpochAsync(i);
                // This wait ensures that each reader sees several epochs, even on a slow machine.
                while (Enumerable.Range(0, seen.Length).Any(reader => Volatile.Read(ref seen[reader]) < i && !readers[reader].IsFaulted))
                {
                    await Task.Delay(5, TestContext.Current.CancellationToken);
                }
            }
        }
        Assert.All(await Task.WhenAll(readers), epochs => Assert.True(epochs > 3, $"A reader saw {epochs} epochs."));
    }

    [Theory]
    [InlineData("root")]
    [InlineData("count")]
    [InlineData("previous")]
    [InlineData("time")]
    [InlineData("vrf")]
    public async Task An_epoch_that_is_not_what_its_record_says_is_never_served(string what)
    {
        await Log.PublishAsync(("alice", "good"));
        await using Replica replica = await Replica.StartReadyAsync(Log);
        await Log.PublishAsync([("alice", "bad"u8.ToArray())], record => Tamper(record, what));
        await replica.WaitForTroubleAsync("epoch 2");
        // The replica still serves the last good epoch.
        byte[] answer = await replica.OctetsAsync(Replica.Post("/v1/lookup", """{"key": "alice"}""", MediaTypes.Lookup));
        LookupVerdict verdict = Verify(replica, answer, "alice");
        Assert.Equal((Reason.Valid, 1UL), (verdict.Reason, verdict.Head!.Epoch));
        Assert.Equal("good", Text(answer, verdict.Keys[0]));
        await replica.ProblemAsync(Replica.Get("/v1/epochs/2"), ProblemTypes.NotFound);

        // A replica that starts now must not serve the bad epoch either.
        await using Replica late = await Replica.StartAsync(Log, "late");
        await late.WaitForTroubleAsync("epoch 2");
        await late.ProblemAsync(Replica.Post("/v1/lookup", """{"key": "alice"}"""), ProblemTypes.Unavailable);
    }

    [Fact]
    public async Task A_database_that_was_put_back_is_not_served()
    {
        await Log.PublishAsync(("alice", "one"));
        string[] copies = [];
        await Log.WithDatabaseClosedAsync(files => copies = Copy(files));
        await Log.PublishAsync(("alice", "two"));
        await using (await Replica.StartReadyAsync(Log))
        {
            // The replica serves epoch 2, and records this durably.
        }
        string[] newer = [];
        await Log.WithDatabaseClosedAsync(files =>
        {
            newer = Copy(files);
            Restore(copies, files);
        });
        await using (Replica behind = await Replica.StartAsync(Log))
        {
            await behind.WaitForTroubleAsync("The database is behind: this replica has served epoch 2");
            await behind.ProblemAsync(Replica.Post("/v1/lookup", """{"key": "alice"}"""), ProblemTypes.Unavailable);
            await behind.ProblemAsync(Replica.Get("/v1/epochs/latest"), ProblemTypes.Unavailable);
            Assert.Equal(HttpStatusCode.OK, (await behind.SendAsync(Replica.Get("/health/live"))).StatusCode);
        }
        // Another replica, which never served epoch 2, cannot know that this epoch is missing. Afterwards, the first replica follows the
        // right database again.
        await using (Replica other = await Replica.StartAsync(Log, "other"))
        {
            await other.WaitForEpochAsync(1);
        }
        await Log.WithDatabaseClosedAsync(files => Restore(newer, files));
        await using Replica again = await Replica.StartReadyAsync(Log);
        Assert.Equal("two", await ValueAsync(again, "alice"));
    }

    [Fact]
    public async Task A_lag_beyond_max_behind_stops_answers_about_keys()
    {
        await Log.PublishAsync(("alice", "one"));
        await using Replica replica = await Replica.StartReadyAsync(Log);
        replica.Clock.Ahead = TimeSpan.FromMilliseconds(Log.Anchor.Configuration.MaxBehindMs) - TimeSpan.FromMinutes(10);
        Assert.Equal(HttpStatusCode.OK, (await replica.ReadinessAsync()).Status);
        Assert.Equal("one", await ValueAsync(replica, "alice"));
        replica.Clock.Ahead += TimeSpan.FromMinutes(10) + TimeSpan.FromSeconds(1);
        (HttpStatusCode status, string body) = await replica.ReadinessAsync();
        Assert.Equal(HttpStatusCode.ServiceUnavailable, status);
        Assert.Contains("s old", body, StringComparison.Ordinal);
        await replica.ProblemAsync(Replica.Post("/v1/lookup", """{"key": "alice"}"""), ProblemTypes.Unavailable);
        await replica.ProblemAsync(Replica.Post("/v1/history", """{"key": "alice"}"""), ProblemTypes.Unavailable, asOwner: true);
        await replica.ProblemAsync(Replica.Get("/v1/epochs/latest"), ProblemTypes.Unavailable);
        // The replica still serves answers that never change.
        await replica.OctetsAsync(Replica.Get("/v1/epochs/1"));
        await replica.OctetsAsync(Replica.Get("/v1/epochs/1/audit-proof"));
        await replica.OctetsAsync(Replica.Get("/log/checkpoint"));
    }

    [Fact]
    public async Task Records_from_the_future_are_not_served()
    {
        await Log.PublishAsync(("alice", "one"));
        await using Replica replica = await Replica.StartReadyAsync(Log);
        // The first record is as far in the future as the service allows. The second record is further in the future.
        replica.Clock.Ahead = -TimeSpan.FromSeconds(50);
        Assert.Equal("one", await ValueAsync(replica, "alice"));
        Assert.Equal(HttpStatusCode.OK, (await replica.ReadinessAsync()).Status);
        replica.Clock.Ahead = -TimeSpan.FromMinutes(2);
        (HttpStatusCode status, string body) = await replica.ReadinessAsync();
        Assert.Equal(HttpStatusCode.ServiceUnavailable, status);
        Assert.Contains("in the future", body, StringComparison.Ordinal);
        await replica.ProblemAsync(Replica.Post("/v1/lookup", """{"key": "alice"}"""), ProblemTypes.Unavailable);
        replica.Clock.Ahead = TimeSpan.Zero;
        Assert.Equal("one", await ValueAsync(replica, "alice"));
        Assert.Equal(HttpStatusCode.OK, (await replica.ReadinessAsync()).Status);
    }

    [Fact]
    public async Task A_folder_that_cannot_be_written_holds_up_epochs_until_it_can()
    {
        await Log.PublishAsync(("alice", "one"));
        await using Replica replica = await Replica.StartReadyAsync(Log);
        // The test puts a directory with content in the file's place, so that the replica cannot write the file.
        string highest = Path.Combine(Log.Folder.Replicas, "a", "highest");
        File.Delete(highest);
        Directory.CreateDirectory(Path.Combine(highest, "full"));
        await Log.PublishAsync(("alice", "two"));
        await replica.WaitForTroubleAsync("cannot be read or written");
        Assert.Equal("one", await ValueAsync(replica, "alice"));
        await Log.PublishAsync(("alice", "three"));
        await replica.WaitForTroubleAsync("Serving epoch 1.");
        Directory.Delete(highest, recursive: true);
        await replica.WaitForEpochAsync(3);
        Assert.Equal("three", await ValueAsync(replica, "alice"));
        Assert.Contains("\n3\n", await File.ReadAllTextAsync(highest, TestContext.Current.CancellationToken), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_damaged_board_is_said_and_does_not_stop_lookups()
    {
        await Log.PublishAsync(("alice", "one"));
        await Log.PublishAsync(("alice", "two"));
        await using Replica replica = await Replica.StartReadyAsync(Log);
        await replica.OctetsAsync(Replica.Post("/v1/lookup?checkpoint_size=1", """{"key": "alice"}"""));
        string tile = Path.Combine(Log.Folder.Board, "log", "tile", "0", "000.p", "3");
        await FileDamage.FlipAsync(tile, 0);
        File.Delete(Path.Combine(Log.Folder.Board, "log", "audit", "001"));
        await replica.ProblemAsync(Replica.Get("/v1/epochs/0"), ProblemTypes.Unavailable);
        await replica.ProblemAsync(Replica.Post("/v1/lookup?checkpoint_size=2", """{"key": "alice"}"""), ProblemTypes.Unavailable);
        await replica.ProblemAsync(Replica.Get("/v1/epochs/0-2/audit-proof"), ProblemTypes.Unavailable);
        Assert.Equal("two", await ValueAsync(replica, "alice"));
    }

    [Fact]
    public async Task A_database_that_goes_away_ends_the_service_with_the_reason()
    {
        string[] args = ["--urls", "http://127.0.0.1:0", $"--{DataFolder.Variable}", Log.Folder.Root, "--Optiks:QueryService:Replica", "a",
            "--Logging:LogLevel:Default", "None"];
        Task running = QueryServiceHost.RunAsync(args);
        // The service writes this file before it serves its first epoch, so once the file exists, the database is open.
        string highest = Path.Combine(Log.Folder.Replicas, "a", "highest");
        while (!File.Exists(highest))
        {
            Assert.False(running.IsCompleted);
            await Task.Delay(20, TestContext.Current.CancellationToken);
        }
        string elsewhere = Log.Folder.Database + ".moved";
        File.Move(Log.Folder.Database, elsewhere);
        StorageMisconfiguredException e = await Assert.ThrowsAsync<StorageMisconfiguredException>(() => running);
        Assert.Contains(Log.Folder.Database, e.Message, StringComparison.Ordinal);
        // The service must also refuse to start if the database is missing.
        await Assert.ThrowsAsync<StorageMisconfiguredException>(() => QueryServiceHost.RunAsync(args));
        File.Move(elsewhere, Log.Folder.Database);
    }

    [Fact]
    public async Task Lookups_can_be_closed()
    {
        await using Replica replica = await Replica.StartReadyAsync(Log, "closed", "--Optiks:QueryService:RequireLookupScope", "true");
        await replica.ProblemAsync(Replica.Post("/v1/lookup", """{"key": "alice"}"""), ProblemTypes.Unauthorized);
        await replica.ProblemAsync(Replica.Get("/v1/lookup?key=alice"), ProblemTypes.Unauthorized);
        await replica.OctetsAsync(Replica.Post("/v1/lookup", """{"key": "alice"}"""), asOwner: true);
    }

    [Fact]
    public async Task Two_replicas_of_one_name_do_not_share_a_folder()
    {
        await using Replica first = await Replica.StartReadyAsync(Log);
        StartupException e = await Assert.ThrowsAsync<StartupException>(() => Replica.StartAsync(Log));
        Assert.Contains("in use", e.Message, StringComparison.Ordinal);
        await using Replica second = await Replica.StartReadyAsync(Log, "b");
    }

    private static EpochRecord Tamper(EpochRecord record, string what)
    {
        StructureState[] states = [.. record.Structures];
        StructureState keys = states[2];
        byte[] root = keys.Root.ToArray();
        root[0] ^= 1;
        byte[] vrf = keys.VrfPublicKey.ToArray();
        vrf[0] ^= 1;
        states[2] = what switch
        {
            "root" => keys with { Root = root },
            "count" => keys with { Count = keys.Count + 1 },
            "vrf" => keys with { VrfPublicKey = vrf },
            _ => keys,
        };
        return record with
        {
            Structures = states,
            Previous = what == "previous" ? new byte[EpochRecord.HashLength] : record.Previous,
            TimeMs = what == "time" ? 1 : record.TimeMs,
        };
    }

    private static string[] Copy(string[] files)
    {
        string folder = Directory.CreateDirectory(
            $"{files[0]}.copy{Directory.GetDirectories(Path.GetDirectoryName(files[0])!).Length}").FullName;
        foreach (string file in files.Where(File.Exists))
        {
            File.Copy(file, Path.Combine(folder, Path.GetFileName(file)));
        }
        return [.. files.Select(file => Path.Combine(folder, Path.GetFileName(file)))];
    }

    private static void Restore(string[] copies, string[] files)
    {
        for (int i = 0; i < files.Length; i++)
        {
            File.Delete(files[i]);
            if (File.Exists(copies[i]))
            {
                File.Copy(copies[i], files[i]);
            }
        }
    }

    private static LookupVerdict Verify(Replica replica, byte[] answer, params string[] names)
    {
        using var keys = new ByteStrings();
        Array.ForEach(names, name => keys.Add(Encoding.UTF8.GetBytes(name)));
        return Verifier.Lookup(replica.Context(), keys, new KnownKey[names.Length], answer);
    }

    private static string? Text(byte[] answer, VerifiedLookup key) =>
        key.Value is { } value ? Encoding.UTF8.GetString(answer[value]) : null;

    private static async Task<string?> ValueAsync(Replica replica, string name)
    {
        byte[] answer = await replica.OctetsAsync(
            Replica.Post("/v1/lookup", [new Query(Encoding.UTF8.GetBytes(name), 0, 0)], MediaTypes.Lookup));
        LookupVerdict verdict = Verify(replica, answer, name);
        Assert.Equal(Reason.Valid, verdict.Reason);
        return Text(answer, verdict.Keys[0]);
    }
}
