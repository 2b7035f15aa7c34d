using System.Net;
using System.Text;
using System.Text.Json;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.ServiceDefaults;
using Optiks.Storage;
using Optiks.Tests.Shared;

namespace Optiks.QueryService.Tests;

/// <summary>
/// Tests that replicas serve ended periods at their last epoch, for owners who come late (docs/spec/periods.md sections 5 and 8). The
/// replicas get their trees from different sources.
/// </summary>
public sealed class EndedPeriodTests : IAsyncLifetime
{
    private const string Name = "a";
    private const string Asked = """[{"key": "phone"}, {"key": "plain"}, {"key": "nobody"}]""";
    private const string AskedUser = """{"user": "alice", "usernames": ["al"]}""";

    private static readonly string[] s_keys = ["phone", "plain", "nobody"];
    private static readonly string[] s_stored = ["--Optiks:QueryService:NodeCacheBytes", "1048576"];

    private readonly LoggedEvents _events = new();
    private TestLog? _log;

    private TestLog Log => _log!;

    private string Folder => Path.Combine(Log.Folder.Replicas, Name);

    // The encoded last record of the first period.
    private byte[] Ended => Log.Records[2].Record.ToArray();

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    public async ValueTask InitializeAsync()
    {
        _log = await TestLog.CreateAsync();
        await Log.PublishItemsAsync(
        [
            TestLog.Item(StructureId.Usernames, "al", "alice"u8.ToArray()),
            TestLog.Item(StructureId.Devices, "alice", DeviceList.Encode(["phone"u8.ToArray()])),
            TestLog.Item(StructureId.Keys, "phone", "phone 1"u8.ToArray()), TestLog.Item(StructureId.Keys, "plain", "plain 1"u8.ToArray()),
        ]);
        await Log.PublishAsync(("plain", "plain 2"));
    }

    public async ValueTask DisposeAsync() => await Log.DisposeAsync();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_ended_period_is_answered_as_it_was_at_its_last_epoch(bool isStored)
    {
        Bodies before;
        await using (Replica replica = await StartAsync(isStored))
        {
            await replica.WaitForEpochAsync(2);
            before = await BodiesAsync(replica, "");
            await Log.NextPeriodAsync();
            await Log.PublishAsync(("plain", "plain 3"), ("late", "new"));
            await replica.WaitForEpochAsync(4);
            await SameAsync(replica, before);
            await VerifyAsync(replica, keptSize: 0);
            await VerifyAsync(replica, keptSize: 3);
            await VerifyAsync(replica, keptSize: 5);
            await WaitForFileAsync(replica, isStored);
            await SameAsync(replica, before);
        }
        // The first restart loads the period from its file. Before the second restart, the test deletes all files, so the second restart
        // loads the period from the database.
        await using (Replica replica = await StartAsync(isStored))
        {
            await SameAsync(replica, before);
            await VerifyAsync(replica, keptSize: 4);
        }
        Directory.Delete(Folder, recursive: true);
        await using Replica cold = await StartAsync(isStored);
        await SameAsync(cold, before);
        Assert.False(_events.Has("EndedPeriodNotMade"));
    }

    [Fact]
    public async Task Both_modes_take_what_the_other_left()
    {
        Bodies before;
        await using (Replica replica = await StartAsync(isStored: false))
        {
            await replica.WaitForEpochAsync(2);
            before = await BodiesAsync(replica, "");
        }
        // In the first round, the replica finds a snapshot of the first period, and in later rounds a node store.
        await Log.NextPeriodAsync();
        foreach (bool isStored in (bool[])[true, false, true])
        {
            await using Replica replica = await StartAsync(isStored);
            await SameAsync(replica, before);
        }
        Assert.False(_events.Has("EndedPeriodNotMade"));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task What_is_erased_later_is_erased_there_before_it_is_served(bool isStored)
    {
        LeafPlace first = await Log.FindAsync("plain", 1);
        await using (Replica replica = await StartAsync(isStored))
        {
            await Log.NextPeriodAsync();
            await replica.WaitForEpochAsync(3);
            Assert.Equal(["plain 1", "plain 2"], await ValuesAsync(replica));
            await Log.EraseAsync("plain", first);
            await replica.WaitForEpochAsync(4);
            Assert.Equal(["-", "plain 2"], await ValuesAsync(replica));
            await WaitForFileAsync(replica, isStored);
            Assert.Equal(["-", "plain 2"], await ValuesAsync(replica));
            Assert.DoesNotContain("plain 1",
                Encoding.Latin1.GetString(await File.ReadAllBytesAsync(Path.Combine(Folder, "leaves"), Cancellation)),
                StringComparison.Ordinal);
        }
        await using Replica again = await StartAsync(isStored);
        Assert.Equal(["-", "plain 2"], await ValuesAsync(again));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task What_was_erased_while_a_replica_was_away_is_not_in_what_it_comes_back_with(bool isStored)
    {
        LeafPlace first = await Log.FindAsync("plain", 1);
        await using (Replica replica = await StartAsync(isStored))
        {
            await Log.NextPeriodAsync();
            await replica.WaitForEpochAsync(3);
            await WaitForFileAsync(replica, isStored);
        }
        await Log.EraseAsync("plain", first);
        await using Replica again = await StartAsync(isStored);
        Assert.Equal(["-", "plain 2"], await ValuesAsync(again));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_period_is_gone_when_as_many_as_are_retained_have_begun_since(bool isStored)
    {
        await using Replica replica = await StartAsync(isStored);
        await Log.NextPeriodAsync();
        await replica.WaitForEpochAsync(3);
        await WaitForFileAsync(replica, isStored);
        await Log.PublishAsync(("plain", "plain 3"));
        await Log.NextPeriodAsync();
        await replica.WaitForEpochAsync(6);
        await RefusedAsync(replica, "?period=0", ProblemTypes.PeriodGone);
        byte[] answer = await ServedAsync(replica, "/v1/history?period=1", Asked, MediaTypes.History);
        Assert.Equal(Log.Records[5].Record.ToArray(), answer[..EpochRecord.Length]);
        // The replica must delete the files of a period that it no longer serves.
        await replica.WaitAsync(() => !File.Exists(Path.Combine(Folder, "leaves")) && !File.Exists(Path.Combine(Folder, "snapshot"))
            && !Directory.Exists(Path.Combine(Folder, "nodes")));
    }

    [Fact]
    public async Task What_is_not_ended_or_no_question_is_refused()
    {
        await using Replica replica = await StartAsync(isStored: false);
        await replica.WaitForEpochAsync((ulong)Log.Records.Count - 1);
        await RefusedAsync(replica, "?period=0", ProblemTypes.NotFound);
        await Log.NextPeriodAsync();
        await replica.WaitForEpochAsync(3);
        await RefusedAsync(replica, "?period=1", ProblemTypes.NotFound);
        await RefusedAsync(replica, "?period=2", ProblemTypes.NotFound);
        await RefusedAsync(replica, "?period=18446744073709551615", ProblemTypes.NotFound);
        // A client that has seen a later epoch gets the problem `not-caught-up`, because another replica may already know that the period
        // has ended.
        await RefusedAsync(replica, "?period=1&checkpoint_size=5", ProblemTypes.NotCaughtUp);
        await RefusedAsync(replica, "?period=0&min_epoch=4", ProblemTypes.NotCaughtUp);
        foreach (string malformed in (string[])["?period=", "?period=00", "?period=-1", "?period=0&period=0",
            "?period=18446744073709551616"])
        {
            await RefusedAsync(replica, malformed, ProblemTypes.MalformedRequest);
        }
        foreach ((string path, string body) in ((string, string)[])[("/v1/lookup", Asked), ("/v1/users/lookup", """{"username": "al"}""")])
        {
            Assert.Equal("?period",
                await replica.ProblemAsync(Replica.Post($"{path}?period=0", body), ProblemTypes.MalformedRequest, asOwner: true));
        }
        // To a caller without the owner's rights, the service says nothing about the period.
        await replica.ProblemAsync(Replica.Post("/v1/history?period=0", Asked), ProblemTypes.Unauthorized);
    }

    [Trait("Level", "Deep")]
    [Fact]
    public async Task While_it_cannot_be_made_it_is_unavailable_and_the_log_is_served()
    {
        await Log.NextPeriodAsync();
        // A directory in the place of the period's leaf log prevents the replica from creating that file.
        Directory.CreateDirectory(Path.Combine(Folder, "leaves"));
        await using Replica replica = await StartAsync(isStored: false);
        await replica.WaitForEpochAsync(3);
        await replica.WaitAsync(() => _events.Has("EndedPeriodNotMade"));
        await RefusedAsync(replica, "?period=0", ProblemTypes.Unavailable);
        Assert.Equal(HttpStatusCode.OK, (await replica.SendAsync(Replica.Get("/v1/lookup?key=plain"))).StatusCode);
        Directory.Delete(Path.Combine(Folder, "leaves"));
        await ServedAsync(replica, "/v1/history?period=0", Asked, MediaTypes.History);
    }

    [Fact]
    public async Task Answers_of_several_periods_that_are_made_together_are_each_of_their_own()
    {
        await using Replica replica = await StartAsync(isStored: false);
        await Log.NextPeriodAsync();
        await replica.WaitForEpochAsync(3);
        byte[][] answers = await Task.WhenAll(Enumerable.Range(0, 64).Select(i =>
            replica.OctetsAsync(Replica.Post(i % 2 == 0 ? "/v1/history?period=0" : "/v1/history", Asked, MediaTypes.History),
                asOwner: true)));
        for (int i = 0; i < answers.Length; i++)
        {
            VersionsVerdict verdict = Verify(replica.Context() with { EndedRecord = i % 2 == 0 ? Ended : default }, answers[i]);
            Assert.Equal((Reason.Valid, i % 2 == 0 ? 0UL : 1UL), (verdict.Reason, verdict.Head!.Period));
        }
    }

    private static VersionsVerdict Verify(VerifierContext context, byte[] answer)
    {
        using var keys = new ByteStrings();
        foreach (string key in s_keys)
        {
            keys.Add(Encoding.UTF8.GetBytes(key));
        }
        return Verifier.Versions(context, keys, new KnownKey[s_keys.Length], answer);
    }

    private async Task VerifyAsync(Replica replica, ulong keptSize)
    {
        VerifierContext context = replica.Context() with { EndedRecord = Ended };
        if (keptSize > 0)
        {
            byte[] note = await replica.OctetsAsync(Replica.Get($"/v1/epochs/{keptSize - 1}", MediaTypes.Record));
            Assert.Equal(Log.Records[(int)keptSize - 1].Record.ToArray(), note);
            Assert.Equal(Reason.Valid,
                LogVerifier.Checkpoint(Log.Anchor, Log.Records[(int)keptSize - 1].Checkpoint.Span, out ulong size, out byte[] root));
            context = context with { KeptSize = size, KeptRoot = root };
        }
        foreach (string path in (string[])["/v1/history", "/v1/monitor"])
        {
            byte[] answer = await ServedAsync(replica, $"{path}?period=0&checkpoint_size={keptSize}", Asked,
                path == "/v1/history" ? MediaTypes.History : MediaTypes.Monitor);
            VersionsVerdict verdict = Verify(context, answer);
            Assert.Equal((Reason.Valid, 2UL, 0UL), (verdict.Reason, verdict.Head!.Epoch, verdict.Head.Period));
            Assert.Equal([1UL, 2UL, 0UL], verdict.Keys.Select(key => key.Version));
        }
        byte[] own = await ServedAsync(
            replica, $"/v1/users/monitor?period=0&checkpoint_size={keptSize}", AskedUser, MediaTypes.UserMonitor);
        var question = new OwnUserQuestion("alice"u8.ToArray()) { Names = ["al"u8.ToArray()] };
        Assert.Equal(Reason.Valid, UserVerifier.Monitor(context, question, own).Reason);
    }

    private async Task<Replica> StartAsync(bool isStored) => await Replica.StartAsync(
        Log, Name, services => services.AddSingleton<ILoggerProvider>(_events), _ => { }, isStored ? s_stored : []);

    // Waits until the ended period is served from a node store. In stored mode this is so from the switch on.
    private async Task WaitForFileAsync(Replica replica, bool isStored)
    {
        await replica.WaitAsync(() => isStored || _events.Has("EndedPeriodReady"));
        // When the replica follows the new epoch, it also begins to serve the trees that it has made in the background.
        await Log.PublishAsync(("other", "epoch"));
        await replica.WaitForEpochAsync((ulong)Log.Records.Count - 1);
    }

    // Returns the replica's answers about the period, without their heads.
    private static async Task<Bodies> BodiesAsync(Replica replica, string query)
    {
        byte[] history = await ServedAsync(replica, $"/v1/history{query}", Asked, MediaTypes.History);
        byte[] monitor = await ServedAsync(replica, $"/v1/monitor{query}", Asked, MediaTypes.Monitor);
        byte[] user = await ServedAsync(replica, $"/v1/users/monitor{query}", AskedUser, MediaTypes.UserMonitor);
        return new Bodies(WithoutHead(history), WithoutHead(monitor), WithoutHead(user));
    }

    private static async Task SameAsync(Replica replica, Bodies before)
    {
        Bodies now = await BodiesAsync(replica, "?period=0");
        Assert.Equal(before.History, now.History);
        Assert.Equal(before.Monitor, now.Monitor);
        Assert.Equal(before.User, now.User);
    }

    private static byte[] WithoutHead(byte[] answer) => answer[AnswerHead.SliceHead(answer).Length..];

    private static async Task<string[]> ValuesAsync(Replica replica)
    {
        using var json = JsonDocument.Parse(await ServedAsync(replica, "/v1/history?period=0", """{"key": "plain"}""", null));
        return [.. json.RootElement.GetProperty("versions")[0].GetProperty("members").EnumerateArray()
            .Select(member => member.TryGetProperty("value", out JsonElement value) ? value.GetString()! : "-")];
    }

    // Sends a request, and repeats it while the replica is still loading the period's trees.
    private static async Task<byte[]> ServedAsync(Replica replica, string path, string body, string? type)
    {
        byte[] octets = [];
        await replica.WaitAsync(async () =>
        {
            using HttpResponseMessage response = await replica.SendAsync(Replica.Post(path, body, type), asOwner: true);
            octets = await response.Content.ReadAsByteArrayAsync(Cancellation);
            Assert.True(response.StatusCode is HttpStatusCode.OK or HttpStatusCode.ServiceUnavailable, Encoding.UTF8.GetString(octets));
            return response.StatusCode == HttpStatusCode.OK;
        });
        return octets;
    }

    private static async Task RefusedAsync(Replica replica, string query, ProblemType type)
    {
        foreach ((string path, string body) in ((string, string)[])[("/v1/history", Asked), ("/v1/monitor", Asked),
            ("/v1/users/monitor", AskedUser)])
        {
            await replica.ProblemAsync(Replica.Post($"{path}{query}", body), type, asOwner: true);
        }
    }

    private sealed record Bodies(byte[] History, byte[] Monitor, byte[] User);
}
