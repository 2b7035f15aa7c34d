using System.Buffers.Binary;
using System.Net;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Optiks.Protocol;
using Optiks.Secrets;
using Optiks.Tests.Shared;

namespace Optiks.QueryService.Tests;

/// <summary>Tests that a replica can start from another replica's snapshot, and that it refuses a wrong snapshot.</summary>
public sealed class SnapshotPeerTests : TwoEpochTests
{
    private const string Name = "new";
    private const string Section = "--Optiks:QueryService";

    private string Folder => Path.Combine(Log.Folder.Replicas, Name);

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(false, false)]
    [InlineData(true, false)]
    [InlineData(false, true)]
    [InlineData(true, true)]
    public async Task A_new_replica_starts_from_anothers_and_the_epochs_since(bool isStored, bool isDonorStored)
    {
        string[] mode = Mode(isStored);
        await using Replica donor = await StartDonorAsync(Mode(isDonorStored));
        await Log.PublishAsync(("alice", "three"), ("carol", "hers"));
        await donor.WaitForEpochAsync(3);
        LoggedEvents events = await RunAsync(donor, [Address(donor)], null, mode);
        Assert.True(events.Has("SnapshotFetched"));
        Assert.True(events.Has("SnapshotUsed"));
        Assert.False(events.Has("SnapshotRefused"));
        string trees = isStored ? "nodes" : "snapshot";
        Assert.Equal(isStored ? ["highest", "leaves", "lock", "nodes", "snapshot"] : ["highest", "leaves", "lock", "snapshot"],
            Directory.GetFileSystemEntries(Folder).Select(Path.GetFileName).Order(StringComparer.Ordinal));
        Assert.Equal(AtomicFile.PrivateMode, File.GetUnixFileMode(Path.Combine(Folder, "leaves")));
        Assert.Equal(AtomicFile.PrivateMode,
            File.GetUnixFileMode(isStored ? Path.Combine(Folder, trees, "data.mdb") : Path.Combine(Folder, trees)));
        // Now the replica has a snapshot of its own, and does not ask the peer at this start.
        LoggedEvents again = await RunAsync(donor, [Address(donor)], null, mode);
        Assert.True(again.Has("SnapshotUsed"));
        Assert.False(again.Has("SnapshotFetching"));
        // Without its leaf log, the replica's own snapshot is useless, so the replica asks the peer again.
        File.Delete(Path.Combine(Folder, "leaves"));
        LoggedEvents without = await RunAsync(donor, [Address(donor)], null, mode);
        Assert.True(without.Has("SnapshotRefused"));
        Assert.True(without.Has("SnapshotFetched"));
        Assert.True(without.Has("SnapshotUsed"));
    }

    [Fact]
    public async Task It_is_for_replicas_alone()
    {
        await using Replica donor = await StartDonorAsync();
        foreach ((string? key, HttpStatusCode status) in ((string?, HttpStatusCode)[])[(null, HttpStatusCode.Unauthorized),
            (Log.HistoryKey, HttpStatusCode.Forbidden), (Log.UpdateKey, HttpStatusCode.Forbidden)])
        {
            using HttpResponseMessage refused = await donor.SnapshotAsync(key);
            Assert.Equal(status, refused.StatusCode);
        }
        using HttpResponseMessage response = await donor.SnapshotAsync(Log.SnapshotKey);
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        Assert.Equal(MediaTypes.Snapshot, response.Content.Headers.ContentType?.MediaType);
        Assert.True(response.Headers.CacheControl?.NoStore);
        byte[] body = await response.Content.ReadAsByteArrayAsync(Cancellation);
        int length = (int)BinaryPrimitives.ReadInt64BigEndian(body);
        string donorFolder = Path.Combine(Log.Folder.Replicas, "donor");
        Assert.Equal(await File.ReadAllBytesAsync(Path.Combine(donorFolder, "snapshot"), Cancellation), body[16..(16 + length)]);
        Assert.Equal(await File.ReadAllBytesAsync(Path.Combine(donorFolder, "leaves"), Cancellation), body[(16 + length)..]);
        // The API key for snapshots must not give access to any other endpoint.
        using HttpRequestMessage history = Replica.Post("/v1/history", """{"key": "alice"}""");
        history.Headers.Authorization = new("Bearer", Log.SnapshotKey);
        using HttpResponseMessage closed = await donor.SendAsync(history);
        Assert.Equal(HttpStatusCode.Forbidden, closed.StatusCode);
        Assert.DoesNotContain("internal/snapshot",
            await donor.Client.GetStringAsync(new Uri("/openapi/v1.json", UriKind.Relative), Cancellation), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_replica_without_one_says_so_and_the_database_is_used()
    {
        await using Replica donor = await Replica.StartReadyAsync(Log, "donor", $"{Section}:SnapshotInterval", "00:00:00");
        using HttpResponseMessage none = await donor.SnapshotAsync(Log.SnapshotKey);
        Assert.Equal(HttpStatusCode.NotFound, none.StatusCode);
        LoggedEvents events = await RunAsync(donor, [Address(donor)]);
        Assert.True(events.Has("PeerFailed"));
        Assert.False(events.Has("SnapshotUsed"));
    }

    [Fact]
    public async Task A_key_that_the_peer_does_not_take_leaves_the_database()
    {
        await using Replica donor = await StartDonorAsync();
        AtomicFile.Write(Log.SnapshotKeyFile, System.Text.Encoding.ASCII.GetBytes(Log.HistoryKey), AtomicFile.PrivateMode);
        LoggedEvents events = await RunAsync(donor, [Address(donor)]);
        Assert.True(events.Has("PeerFailed"));
        Assert.False(events.Has("SnapshotUsed"));
    }

    public static MatrixTheoryData<string, bool> Wrongs => new(
    [
        "one octet of the snapshot", "one octet of the leaf log", "the last octet", "short of one octet", "cut in the middle",
        "lengths beyond the body", "a negative length", "another type",
        "no length", "nothing", "an error", "a proxy's 503", "a redirection to what is right", "another log's",
        "of leaves that the log does not have", "newer than the database",
    ],
    [false, true]);

    [Fact]
    public async Task The_mode_may_change_between_starts_from_one_peer()
    {
        await using Replica donor = await StartDonorAsync();
        for (ulong run = 0; run < 4; run++)
        {
            LoggedEvents events = await RunAsync(donor, [Address(donor)], null, Mode(run % 2 == 0));
            // The later runs use the snapshot that the previous run saved, so only the first run fetches one.
            Assert.Equal(run == 0, events.Has("SnapshotFetched"));
            Assert.True(events.Has("SnapshotUsed"));
            Assert.Equal(run % 2 == 0, Directory.Exists(Path.Combine(Folder, "nodes")));
            Assert.True(File.Exists(Path.Combine(Folder, "snapshot")));
            await Log.PublishAsync(("alice", $"run {run}"));
            await donor.WaitForEpochAsync(3 + run);
        }
    }

    [Theory]
    [MemberData(nameof(Wrongs))]
    public async Task What_is_wrong_is_not_used_and_the_next_peer_is_asked(string wrong, bool isStored)
    {
        await using Replica donor = await StartDonorAsync();
        byte[] right = await SnapshotOfAsync(donor);
        await using MadeUpServer good = await MadeUpServer.StartAsync(context => SendAsync(context, right));
        byte[] other = wrong switch
        {
            "another log's" => await OfAnotherLogAsync(),
            "of leaves that the log does not have" => Forge(epochs: 2),
            "newer than the database" => Forge(epochs: 3),
            _ => right,
        };
        await using MadeUpServer bad = await MadeUpServer.StartAsync(context => SendWrongAsync(wrong, context, other, good.Address));
        LoggedEvents events = await RunAsync(donor, [bad.Address, good.Address], null, Mode(isStored));
        Assert.Equal(1, bad.Asked);
        Assert.Equal(1, good.Asked);
        // If the snapshot has wrong leaves or is newer than the database, the download itself succeeds, and only the comparison with the
        // records finds the fault.
        Assert.Equal(!wrong.StartsWith("of leaves", StringComparison.Ordinal) && !wrong.StartsWith("newer", StringComparison.Ordinal),
            events.Has("PeerFailed"));
        Assert.NotEqual(events.Has("PeerFailed"), events.Has("SnapshotRefused"));
        Assert.True(events.Has("SnapshotFetched"));
        Assert.True(events.Has("SnapshotUsed"));
        // If the peer with the bad snapshot is the only peer, the replica loads the log from the database.
        Directory.Delete(Folder, recursive: true);
        LoggedEvents alone = await RunAsync(donor, [bad.Address], null, Mode(isStored));
        Assert.Equal(2, bad.Asked);
        Assert.False(alone.Has("SnapshotUsed"));
        Assert.Empty(Directory.GetFileSystemEntries(Folder, "*.fetched"));
    }

    [Trait("Level", "Deep")]
    [Fact]
    public async Task A_peer_that_hangs_or_trickles_is_given_up()
    {
        await using Replica donor = await StartDonorAsync();
        byte[] right = await SnapshotOfAsync(donor);
        await using MadeUpServer silent = await MadeUpServer.StartAsync(context => Task.Delay(Timeout.Infinite, context.RequestAborted));
        await using MadeUpServer trickling = await MadeUpServer.StartAsync(async context =>
        {
            Describe(context, right.Length);
            for (int i = 0; i < right.Length; i++)
            {
                await context.Response.Body.WriteAsync(right.AsMemory(i, 1), context.RequestAborted);
                await context.Response.Body.FlushAsync(context.RequestAborted);
                await Task.Delay(20, context.RequestAborted);
            }
        });
        await using MadeUpServer good = await MadeUpServer.StartAsync(context => SendAsync(context, right));
        LoggedEvents events = await RunAsync(donor, [silent.Address, trickling.Address, good.Address], new HastyTime());
        Assert.Equal(2, events.Count("PeerFailed"));
        Assert.True(events.Has("SnapshotUsed"));
    }

    [Fact]
    public async Task A_busy_peer_is_asked_again()
    {
        await using Replica donor = await StartDonorAsync();
        byte[] right = await SnapshotOfAsync(donor);
        int asked = 0;
        await using MadeUpServer peer = await MadeUpServer.StartAsync(context =>
        {
            if (Interlocked.Increment(ref asked) < 3)
            {
                context.Response.StatusCode = StatusCodes.Status503ServiceUnavailable;
                context.Response.Headers.RetryAfter = "10";
                return Task.CompletedTask;
            }
            return SendAsync(context, right);
        });
        LoggedEvents events = await RunAsync(donor, [peer.Address], new HastyTime());
        Assert.Equal(3, asked);
        Assert.Equal(2, events.Count("PeerBusy"));
        Assert.True(events.Has("SnapshotUsed"));
    }

    [Fact]
    public async Task More_than_the_bound_is_not_taken()
    {
        await using Replica donor = await StartDonorAsync();
        int length = (await SnapshotOfAsync(donor)).Length;
        Assert.True((await RunAsync(donor, [Address(donor)], null, $"{Section}:SnapshotPeerMaxBytes", $"{length - 1}")).Has("PeerFailed"));
        Directory.Delete(Folder, recursive: true);
        Assert.True((await RunAsync(donor, [Address(donor)], null, $"{Section}:SnapshotPeerMaxBytes", $"{length}")).Has("SnapshotUsed"));
    }

    [Theory]
    [InlineData("replica-2")]
    [InlineData("ftp://replica-2")]
    [InlineData("http://replica-2")]
    [InlineData("https://user@replica-2")]
    [InlineData("https://replica-2/path")]
    [InlineData("https://replica-2/?a=b")]
    [InlineData("https://replica-2/#a")]
    [InlineData("https://replica-2", "")]
    public async Task Settings_that_cannot_work_end_the_start(string address, string keyFile = "key")
    {
        string[] settings = [$"{Section}:SnapshotPeers:0", address, $"{Section}:SnapshotPeerKeyFile",
            keyFile.Length > 0 ? Log.SnapshotKeyFile : ""];
        OptionsValidationException refused =
            await Assert.ThrowsAsync<OptionsValidationException>(() => Replica.StartAsync(Log, Name, settings));
        Assert.Contains("SnapshotPeer", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_key_file_that_others_may_read_ends_the_start()
    {
        string[] settings = [$"{Section}:SnapshotPeers:0", "http://127.0.0.1:1", $"{Section}:SnapshotPeerKeyFile", Log.SnapshotKeyFile];
        File.SetUnixFileMode(Log.SnapshotKeyFile, AtomicFile.PublicMode);
        await Assert.ThrowsAsync<SecretsException>(() => Replica.StartAsync(Log, Name, settings));
        File.SetUnixFileMode(Log.SnapshotKeyFile, AtomicFile.PrivateMode);
        await (await Replica.StartReadyAsync(Log, Name, settings)).DisposeAsync();
    }

    private static string[] Mode(bool isStored) => [$"{Section}:NodeCacheBytes", isStored ? "1048576" : "0"];

    private static string Address(Replica replica) => replica.Client.BaseAddress!.ToString();

    private static void Describe(HttpContext context, long length)
    {
        context.Response.ContentType = MediaTypes.Snapshot;
        context.Response.ContentLength = length;
    }

    private static async Task SendAsync(HttpContext context, byte[] body)
    {
        Describe(context, body.Length);
        await context.Response.Body.WriteAsync(body, context.RequestAborted);
    }

    private static async Task SendWrongAsync(string wrong, HttpContext context, byte[] body, string elsewhere)
    {
        byte[] changed = [.. body];
        switch (wrong)
        {
            case "one octet of the snapshot":
                changed[16 + 500] ^= 1;
                break;
            case "one octet of the leaf log":
                changed[16 + (int)BinaryPrimitives.ReadInt64BigEndian(body) + 150] ^= 1;
                break;
            case "the last octet":
                changed[^1] ^= 1;
                break;
            case "short of one octet":
                changed = changed[..^1];
                changed[15]--;
                break;
            case "lengths beyond the body":
                changed[15]++;
                break;
            case "a negative length":
                changed[0] = 0xff;
                break;
            case "nothing":
                changed = [];
                break;
            case "an error" or "a proxy's 503":
                context.Response.StatusCode = wrong == "an error"
                    ? StatusCodes.Status500InternalServerError
                    : StatusCodes.Status503ServiceUnavailable;
                return;
            case "a redirection to what is right":
                context.Response.Redirect(elsewhere + "/internal/snapshot");
                return;
            default:
                break;
        }
        Describe(context, changed.Length);
        switch (wrong)
        {
            case "another type":
                context.Response.ContentType = "application/octet-stream";
                break;
            case "no length":
                context.Response.ContentLength = null;
                break;
            case "cut in the middle":
                await context.Response.Body.WriteAsync(changed.AsMemory(0, changed.Length / 2), context.RequestAborted);
                await context.Response.Body.FlushAsync(context.RequestAborted);
                context.Abort();
                return;
            default:
                break;
        }
        await context.Response.Body.WriteAsync(changed, context.RequestAborted);
    }

    private static byte[] Body(byte[] snapshot, byte[] leafLog)
    {
        byte[] lengths = new byte[16];
        BinaryPrimitives.WriteInt64BigEndian(lengths, snapshot.Length);
        BinaryPrimitives.WriteInt64BigEndian(lengths.AsSpan(8), leafLog.Length);
        return [.. lengths, .. snapshot, .. leafLog];
    }

    // Makes the complete body of a transfer whose snapshot has the log's secrets, but leaves that the log does not have.
    private byte[] Forge(ulong epochs)
    {
        string folder = Directory.CreateDirectory(Path.Combine(Log.Folder.Root, "forged")).FullName;
        Log.Forge(epochs, Path.Combine(folder, "snapshot"), Path.Combine(folder, "leaves"));
        return Body(File.ReadAllBytes(Path.Combine(folder, "snapshot")), File.ReadAllBytes(Path.Combine(folder, "leaves")));
    }

    private static async Task<byte[]> OfAnotherLogAsync()
    {
        await using TestLog log = await TestLog.CreateAsync();
        await log.PublishAsync(("alice", "one"));
        await using Replica donor = await StartDonorAsync(log);
        return await SnapshotOfAsync(donor);
    }

    private static async Task<byte[]> SnapshotOfAsync(Replica donor)
    {
        using HttpResponseMessage response = await donor.SnapshotAsync(donor.Log.SnapshotKey);
        Assert.True(response.IsSuccessStatusCode);
        return await response.Content.ReadAsByteArrayAsync(Cancellation);
    }

    private Task<Replica> StartDonorAsync(params string[] settings) => StartDonorAsync(Log, settings);

    // Starts a replica that has a snapshot of the log's newest epoch and can send it (a donor).
    private static async Task<Replica> StartDonorAsync(TestLog log, params string[] settings)
    {
        await (await Replica.StartReadyAsync(log, "donor", settings)).DisposeAsync();
        return await Replica.StartReadyAsync(log, "donor", settings);
    }

    // Starts a replica with the given peers, checks that it gives the same answers as another replica, and stops it.
    private async Task<LoggedEvents> RunAsync(Replica other, string[] peers, TimeProvider? clock = null, params string[] settings)
    {
        var events = new LoggedEvents();
        IEnumerable<string> addresses = peers.SelectMany((peer, i) => (string[])[$"{Section}:SnapshotPeers:{i}", peer]);
        Replica replica = await Replica.StartAsync(
            Log,
            Name,
            services =>
            {
                services.AddSingleton<ILoggerProvider>(events);
                if (clock is not null)
                {
                    services.AddSingleton(clock);
                }
            },
            _ => { },
            [.. addresses, $"{Section}:SnapshotPeerKeyFile", Log.SnapshotKeyFile, .. settings]);
        await using (replica)
        {
            await replica.WaitForEpochAsync((ulong)Log.Records.Count - 1);
            foreach ((string path, string form) in ((string, string)[])[("/v1/lookup", MediaTypes.Lookup),
                ("/v1/monitor", MediaTypes.Monitor)])
            {
                const string names = """[{"key": "alice"}, {"key": "bob"}, {"key": "carol"}]""";
                byte[][] answers = await Task.WhenAll(
                    ((Replica[])[other, replica]).Select(one => one.OctetsAsync(Replica.Post(path, names, form), asOwner: true)));
                Assert.Equal(answers[0], answers[1]);
            }
        }
        return events;
    }
}
