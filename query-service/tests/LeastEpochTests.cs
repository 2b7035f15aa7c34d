using System.Diagnostics;
using System.Net;
using System.Text.Json;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.QueryService.Endpoints;
using Optiks.ServiceDefaults;
using Optiks.Tlog;

namespace Optiks.QueryService.Tests;

/// <summary>
/// Tests how a replica that is behind answers clients that have seen later epochs than it serves. It must not give them a checkpoint beyond
/// its own epoch.
/// </summary>
public sealed class LeastEpochTests : TwoEpochTests
{
    private const string Alice = """{"key": "alice"}""";

    [Fact]
    public async Task The_checkpoint_given_out_is_that_of_the_epoch_served()
    {
        await using Replica replica = await Replica.StartReadyAsync(Log);
        await Log.PublishOnBoardFirstAsync(async () =>
        {
            byte[] onBoard = await File.ReadAllBytesAsync(
                Path.Combine(Log.Folder.Board, "log", "checkpoint"), TestContext.Current.CancellationToken);
            Assert.Equal(Reason.Valid, LogVerifier.Checkpoint(Log.Anchor, onBoard, out ulong ahead, out _));
            Assert.Equal(4UL, ahead);
            await CheckTreeAsync(replica, 3);
        });
        await replica.WaitForEpochAsync(3);
        await CheckTreeAsync(replica, 4);
    }

    [Fact]
    public async Task Who_names_a_later_epoch_is_told_to_come_again()
    {
        await using Replica replica = await Replica.StartReadyAsync(Log);
        await Log.PublishOnBoardFirstAsync(async () =>
        {
            foreach ((string path, string? body) in s_reads)
            {
                Assert.Equal("?min_epoch", await replica.ProblemAsync(Request(path, body, 3), ProblemTypes.NotCaughtUp, asOwner: true));
                Assert.Equal("?min_epoch",
                    await replica.ProblemAsync(Request(path, body, ulong.MaxValue), ProblemTypes.NotCaughtUp, asOwner: true));
            }
            Assert.Equal("?min_epoch", await replica.ProblemAsync(Request("/v1/epochs/3", null, 3), ProblemTypes.NotCaughtUp));
            Assert.Equal("?min_epoch", await replica.ProblemAsync(Request("/v1/epochs/3/audit-proof", null, 3), ProblemTypes.NotCaughtUp));
            await replica.ProblemAsync(Replica.Get("/v1/epochs/3"), ProblemTypes.NotFound);
            foreach ((string path, string? body) in s_reads)
            {
                await replica.OctetsAsync(Request(path, body, 2), asOwner: true);
            }
        });
        await replica.WaitForEpochAsync(3);
        foreach ((string path, string? body) in s_reads.Append(("/v1/epochs/3", null)).Append(("/v1/epochs/3/audit-proof", null)))
        {
            await replica.OctetsAsync(Request(path, body, 3), asOwner: true);
        }
    }

    [Fact]
    public async Task Who_would_rather_wait_is_answered_when_the_epoch_is_there()
    {
        await using Replica replica = await Replica.StartReadyAsync(Log);
        var early = new List<Task<byte[]>>();
        await Log.PublishOnBoardFirstAsync(async () =>
        {
            foreach ((string path, string? body) in s_reads)
            {
                early.Add(replica.OctetsAsync(Waiting(path, body, 3, "respond-async, wait=60"), asOwner: true));
            }
            // An answer of a request that does not wait would arrive within this delay.
            await Task.Delay(100, TestContext.Current.CancellationToken);
            Assert.DoesNotContain(early, task => task.IsCompleted);
        });
        await Task.WhenAll(early);
    }

    [Theory]
    [InlineData(3, "wait=1", 1)]
    [InlineData(3, "wait=60", CatchingUp.MostSeconds)]
    [InlineData(3, "wait=0", 0)]
    [InlineData(3, "wait=-1", 0)]
    [InlineData(3, "wait", 0)]
    [InlineData(3 + CatchingUp.MostAhead, "wait=60", 0)]
    public async Task Who_waits_in_vain_is_told_to_come_again(ulong minEpoch, string preference, int seconds)
    {
        await using Replica replica = await Replica.StartReadyAsync(Log);
        long begun = Stopwatch.GetTimestamp();
        Assert.Equal("?min_epoch",
            await replica.ProblemAsync(Waiting("/v1/lookup", Alice, minEpoch, preference), ProblemTypes.NotCaughtUp));
        double waited = Stopwatch.GetElapsedTime(begun).TotalSeconds;
        Assert.True(seconds == 0 ? waited < CatchingUp.MostSeconds : waited >= 0.95 * seconds, $"{waited} s");
    }

    [Theory]
    [InlineData("x")]
    [InlineData("")]
    [InlineData("-1")]
    [InlineData("01")]
    [InlineData("18446744073709551616")]
    [InlineData("1&min_epoch=1")]
    public async Task A_least_epoch_is_one_integer(string epoch)
    {
        await using Replica replica = await Replica.StartReadyAsync(Log);
        Assert.Equal("?min_epoch",
            await replica.ProblemAsync(Replica.Post($"/v1/lookup?min_epoch={epoch}", Alice), ProblemTypes.MalformedRequest));
        await replica.OctetsAsync(Replica.Post("/v1/lookup?min_epoch=0&checkpoint_size=1", Alice));
    }

    [Fact]
    public async Task Who_knows_a_later_version_is_told_to_come_again()
    {
        await using Replica replica = await Replica.StartReadyAsync(Log);
        // In the second round, the replica takes the proofs from its cache.
        for (int i = 0; i < 2; i++)
        {
            string lookup = """[{"key": "bob"}, {"key": "alice", "known": {"period": 0, "version": VERSION}}]""";
            Assert.Equal("$[1].known",
                await replica.ProblemAsync(Replica.Post("/v1/lookup", Version(lookup, 3)), ProblemTypes.NotCaughtUp));
            Assert.Equal("$[1].version",
                await replica.ProblemAsync(
                    Replica.Post("/v1/lookup", [Query("bob", 0), Query("alice", ulong.MaxValue)]), ProblemTypes.NotCaughtUp));
            JsonElement known = await replica.JsonAsync(Replica.Post("/v1/lookup", Version(lookup, 2)));
            Assert.Equal(0, known.GetProperty("lookups")[1].GetProperty("members").GetArrayLength());
            // The client says that it knows a version of another period. The replica must ignore this version.
            JsonElement other = await replica.JsonAsync(
                Replica.Post("/v1/lookup", """{"key": "alice", "known": {"period": 1, "version": 3}}"""));
            Assert.Equal(2, other.GetProperty("lookups")[0].GetProperty("members").GetArrayLength());
        }
        string from = """[{"key": "nobody"}, {"key": "alice", "from": VERSION}]""";
        foreach (string path in (string[])["/v1/history", "/v1/monitor"])
        {
            Assert.Equal("$[1].from",
                await replica.ProblemAsync(Replica.Post(path, Version(from, 4)), ProblemTypes.NotCaughtUp, asOwner: true));
            Assert.Equal("$[1].version",
                await replica.ProblemAsync(
                    Replica.Post(path, [Query("nobody", 1), Query("alice", ulong.MaxValue)]), ProblemTypes.NotCaughtUp, asOwner: true));
            JsonElement next = await replica.JsonAsync(Replica.Post(path, Version(from, 3)), asOwner: true);
            Assert.Equal(0, next.GetProperty("versions")[1].GetProperty("members").GetArrayLength());
            Assert.NotEqual(0, next.GetProperty("versions")[1].GetProperty("absent").GetArrayLength());
        }
    }

    private static readonly (string Path, string? Body)[] s_reads =
    [
        ("/v1/lookup", Alice), ("/v1/lookup?key=alice", null), ("/v1/history", Alice), ("/v1/monitor", Alice), ("/v1/epochs/latest", null),
        ("/v1/epochs/1", null),
        ("/v1/epochs/0-2/audit-proof", null),
    ];

    private static HttpRequestMessage Request(string path, string? body, ulong minEpoch)
    {
        string uri = $"{path}{(path.Contains('?', StringComparison.Ordinal) ? '&' : '?')}min_epoch={minEpoch}";
        return body is null ? Replica.Get(uri) : Replica.Post(uri, body);
    }

    private static HttpRequestMessage Waiting(string path, string? body, ulong minEpoch, string preference)
    {
        HttpRequestMessage request = Request(path, body, minEpoch);
        request.Headers.Add("Prefer", preference);
        return request;
    }

    private static string Version(string body, ulong version) =>
        body.Replace("VERSION", version.ToString(System.Globalization.CultureInfo.InvariantCulture), StringComparison.Ordinal);

    private static Query Query(string key, ulong version) => new(System.Text.Encoding.UTF8.GetBytes(key), 0, version);

    /// <summary>
    /// Checks that the replica's checkpoint has the expected size, and that the replica serves the record, the audit proof and the tiles of
    /// this checkpoint's tree.
    /// </summary>
    private async Task CheckTreeAsync(Replica replica, ulong expected)
    {
        byte[] note = await replica.OctetsAsync(Replica.Get("/log/checkpoint"));
        Assert.Equal(Reason.Valid, LogVerifier.Checkpoint(Log.Anchor, note, out ulong size, out byte[] root));
        Assert.Equal(expected, size);
        byte[] record = await replica.OctetsAsync(Replica.Get($"/v1/epochs/{size - 1}", MediaTypes.Record));
        await replica.OctetsAsync(Replica.Get($"/v1/epochs/{size - 1}/audit-proof", MediaTypes.AuditProof));
        var tiles = new HttpTileReader(replica.Client, new Uri(replica.Client.BaseAddress!, "/log/"));
        ReadOnlyMemory<byte> entry =
            await new HashReader(tiles, size, TreeHash.FromBytes(root)).ReadEntryAsync(size - 1, TestContext.Current.CancellationToken);
        Assert.Equal(record, entry.ToArray());
        using HttpResponseMessage head = await replica.SendAsync(new HttpRequestMessage(HttpMethod.Head, "/log/checkpoint"));
        Assert.Equal((HttpStatusCode.OK, (long?)note.Length), (head.StatusCode, head.Content.Headers.ContentLength));
    }
}
