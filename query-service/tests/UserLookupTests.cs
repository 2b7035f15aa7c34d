using System.Net.Http.Headers;
using System.Text;
using System.Text.Json;
using Microsoft.Extensions.DependencyInjection;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.QueryService.Answers;
using Optiks.QueryService.Telemetry;
using Optiks.ServiceDefaults;
using Optiks.Storage;

namespace Optiks.QueryService.Tests;

/// <summary>Tests lookups of users over HTTP. The native verifier checks the answers.</summary>
public sealed class UserLookupTests : IAsyncLifetime
{
    private const string Path = "/v1/users/lookup";

    private TestLog? _log;
    private Replica? _replica;

    private TestLog Log => _log!;

    private Replica Server => _replica!;

    public async ValueTask InitializeAsync()
    {
        _log = await TestLog.CreateAsync();
        await Log.PublishItemsAsync(
        [
            .. Created("alice", "laptop", "phone", "watch"), Of(StructureId.Keys, "laptop", "laptop 1"),
            Of(StructureId.Keys, "phone", "phone 1"),
            .. Created("bob"), .. Created("carol", "tablet"), Of(StructureId.Keys, "tablet", "tablet 1"),
        ]);
        await Log.PublishItemsAsync(
            [Of(StructureId.Keys, "phone", "phone 2"),
                new AcceptItem(StructureId.Decommissioned, Octets("id of carol"), new byte[] { 1 }, null)]);
        _replica = await Replica.StartReadyAsync(Log);
    }

    public async ValueTask DisposeAsync()
    {
        await Server.DisposeAsync();
        await Log.DisposeAsync();
    }

    [Fact]
    public async Task Every_kind_of_user_verifies()
    {
        byte[] answer = await AskAsync(User("alice"), User("bob"), User("carol"), User("nobody"));
        UsersVerdict verdict = Verify(answer, Asked("alice"), Asked("bob"), Asked("carol"), Asked("nobody"));
        Assert.Equal(Reason.Valid, verdict.Reason);
        Assert.Equal([UserKind.Current, UserKind.Current, UserKind.Left, UserKind.None], verdict.Users.Select(user => user.Kind));
        Assert.Equal(["id of alice", "id of bob", "id of carol", ""], verdict.Users.Select(user => Text(user.UserId)));
        Assert.All(verdict.Users, user => Assert.Equal((2UL, 2UL), (user.Epoch, user.LargestEpoch)));
        Assert.Equal(["laptop", "phone", "watch"], verdict.Users[0].Devices.Select(device => Text(device.Device)));
        Assert.Equal(["laptop 1", "phone 2", null],
            verdict.Users[0].Devices.Select(device => device.Key.Value is { } value ? Text(answer[value]) : null));
        Assert.Empty(verdict.Users[1].Devices);
        // The answer must be valid only for exactly the questions that were asked.
        Assert.NotEqual(Reason.Valid, Verify(answer, Asked("bob"), Asked("alice"), Asked("carol"), Asked("nobody")).Reason);
        Assert.Equal(Reason.AnswerCount, Verify(answer, Asked("alice")).Reason);
    }

    [Fact]
    public async Task One_device_is_shown_beside_the_whole_list()
    {
        foreach ((string device, string[] shown) in ((string, string[])[])[("phone", ["phone"]), ("tablet", [])])
        {
            byte[] answer = await AskAsync(User("alice") with { Device = Octets(device) });
            UsersVerdict verdict = Verify(answer, Asked("alice") with { Device = Octets(device) });
            Assert.Equal(Reason.Valid, verdict.Reason);
            Assert.Equal(shown, verdict.Users[0].Devices.Select(found => Text(found.Device)));
            Assert.Equal(3, DeviceList.Decode(verdict.Users[0].List).Count);
            Assert.Equal(Reason.DeviceCount, Verify(answer, Asked("alice")).Reason);
        }
    }

    [Fact]
    public async Task What_is_known_is_left_out_and_what_changed_is_shown()
    {
        (byte[] first, UserQuestion kept, UserQuery query) = await KeepAsync();
        byte[] again = await AskAsync(query);
        VerifiedUser same = Assert.Single(Verify(again, kept).Users);
        Assert.All(same.Devices, device => Assert.Null(device.Key.Value));
        Assert.Null(same.ListVersion.Value);
        Assert.True(again.Length < first.Length);
        // The answer omits proofs for a client that kept them. A verifier that kept nothing cannot use such an answer.
        Assert.Equal(Reason.UserNameMissing, Verify(again, Asked("alice")).Reason);

        await Log.PublishItemsAsync(
        [
            Of(StructureId.Keys, "watch", "watch 1"),
            new AcceptItem(StructureId.Devices, Octets("id of alice"), DeviceList.Encode([Octets("phone"), Octets("watch")]), null),
        ]);
        await Server.WaitForEpochAsync(3);
        byte[] later = await AskAsync(query);
        UsersVerdict verdict = Verify(later, kept);
        Assert.Equal(Reason.Valid, verdict.Reason);
        Assert.Equal(["phone", "watch"], verdict.Users[0].Devices.Select(device => Text(device.Device)));
        Assert.Equal([null, "watch 1"],
            verdict.Users[0].Devices.Select(device => device.Key.Value is { } value ? Text(later[value]) : null));
        // The verifier must not accept the old answer as an answer about a later epoch.
        Assert.Equal(Reason.Stale, Verify(again, kept with { LeastEpoch = 3 }).Reason);
    }

    [Fact]
    public async Task Json_asks_and_answers_the_same()
    {
        const string Body = """
            [{"username": "alice", "device": "phone", "known": {"user": true, "period": 0, "devices": 1, "keys": [{"device_b64": "cGhvbmU", "version": 1}, {"device": "laptop", "version": 1}]}},
             {"username_b64": "Y2Fyb2w"}, {"username": "nobody"}]
            """;
        byte[] binary = await Server.OctetsAsync(Replica.Post(Path, Body, MediaTypes.UserLookup));
        byte[] same = await AskAsync(
            User("alice") with
            {
                Device = Octets("phone"),
                KnowsUser = true,
                ListVersion = 1,
                Keys = [new KnownDeviceKey(Octets("laptop"), 1), new KnownDeviceKey(Octets("phone"), 1)],
            },
            User("carol"), User("nobody"));
        Assert.Equal(binary, same);

        JsonElement json = await Server.JsonAsync(Replica.Post(Path, """{"username": "alice"}"""));
        Assert.Equal(2, json.GetProperty("head").GetProperty("record_fields").GetProperty("epoch").GetInt32());
        Assert.Equal(0, json.GetProperty("parts").GetArrayLength());
        JsonElement user = Assert.Single(json.GetProperty("users").EnumerateArray());
        Assert.Equal(2, user.GetProperty("kind").GetInt32());
        Assert.Equal("id of alice", user.GetProperty("name").GetProperty("member").GetProperty("value").GetString());
        Assert.Equal(0, user.GetProperty("decommissioned").GetProperty("kind").GetInt32());
        Assert.Equal(["laptop", "phone", "watch"],
            user.GetProperty("devices").GetProperty("list").EnumerateArray().Select(device => device.GetProperty("device").GetString()));
        Assert.Equal([1, 2, 0],
            user.GetProperty("keys").EnumerateArray().Select(key => key.GetProperty("lookup").GetProperty("version").GetInt32()));
    }

    [Fact]
    public async Task The_position_of_a_client_counts_as_in_lookups()
    {
        byte[] first = await AskAsync(User("alice"));
        VerifiedHead head = Verify(first, Asked("alice")).Head!;
        byte[] kept = await Server.OctetsAsync(Post($"{Path}?checkpoint_size={head.Size}&min_epoch=2", User("alice")));
        Assert.True(kept.Length < first.Length);
        var context = Server.Context() with { KeptSize = head.Size, KeptRoot = head.Root };
        Assert.Equal(Reason.Valid, UserVerifier.Lookup(context, [Asked("alice")], kept).Reason);
        Assert.Equal("?min_epoch", await Server.ProblemAsync(Post($"{Path}?min_epoch=3", User("alice")), ProblemTypes.NotCaughtUp));
        Assert.Equal("?checkpoint_size",
            await Server.ProblemAsync(Post($"{Path}?checkpoint_size=4", User("alice")), ProblemTypes.NotCaughtUp));
    }

    [Fact]
    public async Task A_client_that_knows_more_is_sent_elsewhere()
    {
        (string Field, string Json, UserQuery Query)[] ahead =
        [
            ("known.user|knows_user", """{"username": "dave", "known": {"user": true}}""", User("dave") with { KnowsUser = true }),
            ("known.devices|devices", """{"username": "alice", "known": {"period": 0, "devices": 2}}""",
                User("alice") with { ListVersion = 2 }),
            (
                "known.keys|keys", """{"username": "alice", "known": {"period": 0, "keys": [{"device": "phone", "version": 3}]}}""",
                User("alice") with { Keys = [new KnownDeviceKey(Octets("phone"), 3)] }),
        ];
        foreach ((string field, string json, UserQuery query) in ahead)
        {
            string[] fields = field.Split('|');
            Assert.Equal($"$.{fields[0]}", await Server.ProblemAsync(Replica.Post(Path, json), ProblemTypes.NotCaughtUp));
            Assert.Equal($"$[1].{fields[0]}",
                await Server.ProblemAsync(Replica.Post(Path, $$"""[{"username": "bob"}, {{json}}]"""), ProblemTypes.NotCaughtUp));
            Assert.Equal($"$[1].{fields[1]}", await Server.ProblemAsync(Post(Path, User("bob"), query), ProblemTypes.NotCaughtUp));
        }
        // The service must ignore known versions of another period, and of a device that is not on alice's list.
        await AskAsync(User("alice") with { Period = 7, ListVersion = 9, Keys = [new KnownDeviceKey(Octets("phone"), 9)] });
        await AskAsync(User("alice") with { Keys = [new KnownDeviceKey(Octets("tablet"), 9)] });
    }

    [Fact]
    public async Task Nothing_that_is_malformed_is_answered()
    {
        (string Body, ProblemType Type, string? Field)[] refused =
        [
            ("{}", ProblemTypes.MalformedRequest, "$.username"),
            ("[]", ProblemTypes.BatchLength, "$"),
            ("""{"username": ""}""", ProblemTypes.KeyLength, "$.username"),
            ($$"""{"username": "{{new string('a', 256)}}"}""", ProblemTypes.KeyLength, "$.username"),
            ("""{"username": "a", "username_b64": "YQ"}""", ProblemTypes.MalformedRequest, "$.username_b64"),
            ("""{"username": "a", "device": ""}""", ProblemTypes.KeyLength, "$.device"),
            ("""{"username": "a", "device": "b", "device_b64": "YQ"}""", ProblemTypes.MalformedRequest, "$.device_b64"),
            ("""{"username": "a", "known": {"user": false}}""", ProblemTypes.MalformedRequest, "$.known.user"),
            ("""{"username": "a", "known": {"devices": 1}}""", ProblemTypes.MalformedRequest, "$.known.period"),
            ("""{"username": "a", "known": {"period": 0}}""", ProblemTypes.MalformedRequest, "$.known.period"),
            ("""{"username": "a", "known": {"period": 0, "keys": [{"device": "b"}]}}""", ProblemTypes.MalformedRequest,
                "$.known.keys[0].version"),
            ("""{"username": "a", "known": {"period": 0, "keys": [{"version": 1}]}}""", ProblemTypes.MalformedRequest,
                "$.known.keys[0].device"),
            ("""{"username": "a", "known": {"period": 0, "keys": [{"device": "b", "version": 0}]}}""", ProblemTypes.MalformedRequest,
                "$.known.keys[0].version"),
            (
                """{"username": "a", "known": {"period": 0, "keys": [{"device": "b", "version": 1}, {"device_b64": "Yg", "version": 2}]}}""",
                ProblemTypes.MalformedRequest, "$.known.keys"),
            ($"[{string.Join(',', Enumerable.Repeat("""{"username": "a"}""", QueryBatch.MaxCount + 1))}]", ProblemTypes.BatchLength, "$"),
            (Known(ProtocolLimits.MaxKnownKeys + 1), ProblemTypes.BatchLength, "$.known.keys"),
        ];
        foreach ((string body, ProblemType type, string? field) in refused)
        {
            Assert.Equal(field, await Server.ProblemAsync(Replica.Post(Path, body), type));
        }
        await Server.OctetsAsync(Replica.Post(Path, Known(ProtocolLimits.MaxKnownKeys)));
        await Server.OctetsAsync(
            Replica.Post(Path, $"[{string.Join(',', Enumerable.Repeat("""{"username": "a"}""", QueryBatch.MaxCount))}]"));

        KnownDeviceKey a = new(Octets("a"), 1);
        (UserQuery[] Queries, ProblemType Type, string Field)[] binary =
        [
            ([User("a"), User("a") with { Keys = [a, a] }], ProblemTypes.MalformedRequest, "$[1].keys"),
            ([User("a") with { Keys = [a with { Version = 0 }] }], ProblemTypes.MalformedRequest, "$[0].keys"),
            ([User("a") with { Period = 1 }], ProblemTypes.MalformedRequest, "$[0].period"),
            ([.. Enumerable.Repeat(User("a"), QueryBatch.MaxCount + 1)], ProblemTypes.BatchLength, "$"),
            (
                [User("a") with { Keys = [.. Enumerable.Range(0, ProtocolLimits.MaxKnownKeys + 1)
                    .Select(i => new KnownDeviceKey(Octets($"{i:0000}"), 1))] }],
                ProblemTypes.BatchLength, "$[0].keys"),
        ];
        foreach ((UserQuery[] queries, ProblemType type, string field) in binary)
        {
            Assert.Equal(field, await Server.ProblemAsync(Post(Path, queries), type));
        }
        byte[] sound = UserQueryList.Encode([User("alice") with { ListVersion = 1 }]);
        for (int length = 0; length < sound.Length; length++)
        {
            await Server.ProblemAsync(Post(Path, sound[..length]), ProblemTypes.MalformedRequest);
        }
        await Server.ProblemAsync(Post(Path, [.. sound, 0]), ProblemTypes.MalformedRequest);
        await Server.ProblemAsync(Post(Path, [0, 0, 0]), ProblemTypes.BatchLength);
        await Server.OctetsAsync(Post(Path, sound));
    }

    [Fact]
    public async Task Each_entry_of_an_answer_is_paid_for_and_too_many_are_refused_unproven()
    {
        string[] devices = [.. Enumerable.Range(0, 600).Select(i => $"d{i:000}")];
        await Log.PublishItemsAsync([.. Created("many", devices)]);
        await using Replica limited = await Replica.StartReadyAsync(
            Log, "limited", "--Optiks:RateLimits:Lookups:PerSecond", "0.01", "--Optiks:RateLimits:Lookups:Burst", "1000");
        QueryMetrics metrics = limited.Services.GetRequiredService<QueryMetrics>();
        // The service answers one user, however many devices that user has.
        await limited.OctetsAsync(Post(Path, User("many")));
        ulong made = metrics.Directory!()!.Value.VrfCacheMisses;
        await limited.ProblemAsync(Post(Path, User("many"), User("many"), User("many"), User("many")), ProblemTypes.AnswerTooLarge);
        Assert.Equal(made, metrics.Directory!()!.Value.VrfCacheMisses);
        // The refused request counted as well, and used up the rest of the 1,000 keys.
        await limited.ProblemAsync(Post(Path, User("bob")), ProblemTypes.RateLimited);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Anonymous_callers_can_be_kept_from_what_was_asked_before(bool hides)
    {
        await using Replica replica =
            await Replica.StartReadyAsync(Log, $"hides-{hides}", "--Optiks:QueryService:HideCacheFromAnonymous", $"{hides}");
        DirectoryStats Stats() => replica.Services.GetRequiredService<QueryMetrics>().Directory!()!.Value;
        for (int i = 0; i < 2; i++)
        {
            DirectoryStats before = Stats();
            byte[] answer = await replica.OctetsAsync(Post(Path, User("alice"), User("nobody")));
            Assert.Equal(Reason.Valid, UserVerifier.Lookup(replica.Context(), [Asked("alice"), Asked("nobody")], answer).Reason);
            Assert.Equal(hides || i == 0, Stats().VrfCacheMisses > before.VrfCacheMisses);
            Assert.Equal(!hides && i == 1, Stats().VrfCacheHits > before.VrfCacheHits);
        }
    }

    [Fact]
    public async Task Users_and_keys_are_proven_together()
    {
        await Parallel.ForAsync(0, 60, TestContext.Current.CancellationToken, async (i, _) =>
        {
            if (i % 2 == 0)
            {
                using var keys = new ByteStrings();
                keys.Add(Octets($"absent{i}"));
                byte[] answer = await Server.OctetsAsync(
                    Replica.Post("/v1/lookup", [new Query(Octets($"absent{i}"), 0, 0)], MediaTypes.Lookup));
                Assert.Equal(Reason.Valid, Verifier.Lookup(Server.Context(), keys, [default], answer).Reason);
                return;
            }
            byte[] users = await AskAsync(User($"absent{i}"), User("alice"));
            Assert.Equal(Reason.Valid, Verify(users, Asked($"absent{i}"), Asked("alice")).Reason);
        });
    }

    private static string Known(int keys)
    {
        IEnumerable<string> known = Enumerable.Range(0, keys).Select(i => $$"""{"device": "d{{i}}", "version": 1}""");
        return $$$"""{"username": "a", "known": {"period": 0, "keys": [{{{string.Join(',', known)}}}]}}""";
    }

    private static AcceptItem[] Created(string name, params string[] devices) =>
    [
        Of(StructureId.Usernames, name, $"id of {name}"),
        new AcceptItem(StructureId.Devices, Octets($"id of {name}"),
            DeviceList.Encode([.. devices.Select(device => (ReadOnlyMemory<byte>)Octets(device))]), null),
    ];

    private static AcceptItem Of(StructureId structure, string key, string value) => TestLog.Item(structure, key, Octets(value));

    private static UserQuery User(string name) => new(Octets(name));

    private static UserQuestion Asked(string name) => new(Octets(name));

    private static byte[] Octets(string text) => Encoding.UTF8.GetBytes(text);

    private static string Text(ReadOnlyMemory<byte> octets) => Encoding.UTF8.GetString(octets.Span);

    private static HttpRequestMessage Post(string path, params UserQuery[] queries) => Post(path, UserQueryList.Encode(queries));

    private static HttpRequestMessage Post(string path, byte[] body)
    {
        var request = new HttpRequestMessage(HttpMethod.Post, path) { Content = new ByteArrayContent(body) };
        request.Content.Headers.ContentType = new MediaTypeHeaderValue(MediaTypes.UserQuery);
        request.Headers.TryAddWithoutValidation("Accept", MediaTypes.UserLookup);
        return request;
    }

    // Returns a first answer about alice, the state that a verifier keeps after this answer, and the query with which the client asks
    // again.
    private async Task<(byte[] Answer, UserQuestion Kept, UserQuery Query)> KeepAsync()
    {
        byte[] answer = await AskAsync(User("alice"));
        VerifiedUser user = Assert.Single(Verify(answer, Asked("alice")).Users);
        VerifiedDevice[] shown = [.. user.Devices.Where(device => device.Key.Version > 0)];
        UserQuestion kept = Asked("alice") with
        {
            LeastEpoch = user.Epoch,
            UserId = user.UserId,
            ListVersion = new KnownKey(0, 0, user.ListVersion.Version, user.ListVersion.Time, user.ListEpoch),
            List = user.List,
            Keys =
                [.. shown.Select(device =>
                    new KnownDevice(device.Device, new KnownKey(0, 0, device.Key.Version, device.Key.Time, device.RecordEpoch)))],
        };
        UserQuery query = User("alice") with
        {
            KnowsUser = true,
            ListVersion = user.ListVersion.Version,
            Keys = [.. shown.Select(device => new KnownDeviceKey(device.Device, device.Key.Version))],
        };
        return (answer, kept, query);
    }

    private Task<byte[]> AskAsync(params UserQuery[] queries) => Server.OctetsAsync(Post(Path, queries));

    private UsersVerdict Verify(byte[] answer, params UserQuestion[] asked) => UserVerifier.Lookup(Server.Context(), asked, answer);
}
