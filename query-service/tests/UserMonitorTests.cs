using System.Net;
using System.Net.Http.Headers;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.ServiceDefaults;
using Optiks.Storage;
using Optiks.Tests.Shared;

namespace Optiks.QueryService.Tests;

/// <summary>Tests the requests over HTTP with which owners monitor their own users. The native verifier checks the answers.</summary>
public sealed class UserMonitorTests : IAsyncLifetime
{
    private const string Monitor = "/v1/users/monitor";

    private readonly AccountSystem _accounts = AccountSystem.OfP256("signer-1");
    private TestLog? _log;
    private Replica? _replica;

    private TestLog Log => _log!;

    private Replica Server => _replica!;

    private string KeysFile => Path.Combine(Log.Folder.Root, "token-keys.json");

    public async ValueTask InitializeAsync()
    {
        _log = await TestLog.CreateAsync();
        AtomicFile.Write(KeysFile, Octets(AccountSystem.KeySet(_accounts)), AtomicFile.PublicMode);
        await Log.PublishItemsAsync(
        [
            Of(StructureId.Usernames, "alice", "id of alice"), List("alice", "laptop", "phone"), Of(StructureId.Keys, "laptop", "laptop 1"),
            Of(StructureId.Keys, "phone", "phone 1"),
            Of(StructureId.Usernames, "bob", "id of bob"), List("bob", "tablet"), Of(StructureId.Keys, "tablet", "tablet 1"),
        ]);
        await Log.PublishItemsAsync(
            [List("alice", "phone", "watch"), Of(StructureId.Keys, "phone", "phone 2"), Of(StructureId.Keys, "watch", "watch 1"),
                Of(StructureId.Keys, "tablet", "tablet 2")]);
        _replica = await Replica.StartReadyAsync(
            Log, "a", "--Optiks:Tokens:Audience", AccountSystem.Audience, "--Optiks:Tokens:KeysFile", KeysFile);
    }

    public async ValueTask DisposeAsync()
    {
        await Server.DisposeAsync();
        await Log.DisposeAsync();
        _accounts.Dispose();
    }

    [Fact]
    public async Task An_owner_sees_every_version_of_the_list_and_of_each_device()
    {
        byte[] answer = await AskAsync(Alice);
        VerifiedOwnUser user = Verify(answer, Asked);
        Assert.True(user.Complete);
        Assert.Equal([1UL, 2UL], user.List!.Members.Select(member => member.Version));
        Assert.Equal(["laptop", "phone", "watch"], user.Devices.Select(device => Text(device.Device)));
        Assert.Equal([["laptop 1"], ["phone 1", "phone 2"], ["watch 1"]], user.Devices.Select(device => Values(answer, device)));
        // The answer must be valid only for exactly the question that was asked.
        Assert.NotEqual(Reason.Valid, UserVerifier.Monitor(Server.Context(), Asked with { UserId = Octets("id of bob") }, answer).Reason);
        Assert.Equal(Reason.AnswerCount, UserVerifier.Monitor(Server.Context(), Asked with { Names = [] }, answer).Reason);

        // An owner that continues from known versions must get all later versions, including those of the device that left the list.
        await Log.PublishItemsAsync([List("alice", "watch"), Of(StructureId.Keys, "phone", "phone 3")]);
        await Server.WaitForEpochAsync(3);
        UserMonitorQuery next = Alice with
        {
            Usernames = [],
            From = 3,
            Keys = [.. user.Devices.Select(device => new KnownDeviceKey(device.Device, device.Key.Version + 1))],
        };
        byte[] later = await AskAsync(next);
        VerifiedOwnUser again = Verify(later, Kept(user, 2));
        Assert.Equal([[], ["phone 3"], []], again.Devices.Select(device => Values(later, device)));
        Assert.Equal(Reason.Stale, UserVerifier.Monitor(Server.Context(), Asked with { LeastEpoch = 3 }, answer).Reason);
    }

    [Fact]
    public async Task Pages_end_where_there_are_too_many_ids_and_lead_to_all_of_it()
    {
        const int Listed = 200;
        for (int list = 0; list < 6; list++)
        {
            await Log.PublishItemsAsync([List("alice", [.. Enumerable.Range(list * Listed, Listed).Select(i => $"d{i:0000}")])]);
        }
        await Server.WaitForEpochAsync(8);
        byte[] first = await AskAsync(Alice);
        VerifiedOwnUser page = Verify(first, Asked);
        Assert.False(page.Complete);
        // The page ends before the sixth list, because that list would exceed the 1,024 ids that an owner follows.
        Assert.Equal(7, page.List!.Members.Count);
        Assert.Equal((5 * Listed) + 3, page.Devices.Count);
        byte[] second = await AskAsync(Alice with { Usernames = [], From = 8 });
        VerifiedOwnUser rest = Verify(second, Kept(page, 8) with { Keys = [] });
        Assert.True(rest.Complete);
        Assert.Equal(2 * Listed, rest.Devices.Count);
    }

    [Fact]
    public async Task Json_asks_and_answers_the_same()
    {
        byte[] binary = await AskAsync(Alice with { From = 2, Keys = [new KnownDeviceKey(Octets("phone"), 2)] });
        const string Body =
            """{"user": "id of alice", "usernames_b64": ["YWxpY2U"], "period": 0, "from": 2, "keys": [{"device_b64": "cGhvbmU", "from": 2}]}""";
        Assert.Equal(binary, await Server.OctetsAsync(Replica.Post(Monitor, Body, MediaTypes.UserMonitor), asOwner: true));
        JsonElement json = await Server.JsonAsync(
            Replica.Post(Monitor, """{"user": "id of alice", "usernames": ["alice"]}"""), asOwner: true);
        Assert.Equal("id of alice", json.GetProperty("names")[0].GetProperty("member").GetProperty("value").GetString());
        Assert.Equal(0, json.GetProperty("decommissioned").GetProperty("kind").GetInt32());
        Assert.Equal(2, json.GetProperty("devices").GetProperty("members").GetArrayLength());
        Assert.Equal([1, 2, 1], json.GetProperty("keys").EnumerateArray().Select(key => key.GetProperty("version").GetInt32()));
    }

    [Fact]
    public async Task A_user_who_has_left_is_shown_as_such_and_one_who_never_was_is_not_found()
    {
        Assert.Equal("$.user", await ProblemAsync(Alice with { User = Octets("nobody"), Usernames = [] }, ProblemTypes.NotFound));
        Assert.Equal("$.user_b64",
            await Server.ProblemAsync(Replica.Post(Monitor, """{"user_b64": "eA"}"""), ProblemTypes.NotFound, asOwner: true));
        await Log.PublishItemsAsync([new AcceptItem(StructureId.Decommissioned, Octets("id of alice"), new byte[] { 1 }, null)]);
        await Server.WaitForEpochAsync(3);
        byte[] answer = await AskAsync(Alice);
        Assert.True(Verify(answer, Asked).HasLeft);
        JsonElement json = await Server.JsonAsync(Replica.Post(Monitor, """{"user": "id of alice"}"""), asOwner: true);
        Assert.False(json.TryGetProperty("devices", out _));
    }

    [Fact]
    public async Task A_client_that_knows_more_is_sent_elsewhere()
    {
        Assert.Equal("$.usernames[1]",
            await ProblemAsync(Alice with { Usernames = [Octets("alice"), Octets("nobody")] }, ProblemTypes.NotCaughtUp));
        Assert.Equal("$.from", await ProblemAsync(Alice with { From = 4 }, ProblemTypes.NotCaughtUp));
        Assert.Equal(
            "$.keys", await ProblemAsync(Alice with { Keys = [new KnownDeviceKey(Octets("phone"), 4)] }, ProblemTypes.NotCaughtUp));
        Assert.Equal("?min_epoch",
            await Server.ProblemAsync(Post(Alice, $"{Monitor}?min_epoch=3"), ProblemTypes.NotCaughtUp, asOwner: true));
        // These queries begin after the latest version, or name known versions of another period.
        await AskAsync(Alice with { From = 3, Keys = [new KnownDeviceKey(Octets("phone"), 3)] });
        await AskAsync(Alice with { Period = 7, From = 9, Keys = [new KnownDeviceKey(Octets("phone"), 9)] });
    }

    [Fact]
    public async Task A_token_sees_its_own_user_alone()
    {
        string token = OfAlice("history");
        UserMonitorQuery bob = new(Octets("id of bob"));
        (UserMonitorQuery Query, string Field)[] refused =
        [
            (bob, "$.user"),
            // This device was never on alice's list, so its old values belong to another user.
            (Alice with { Keys = [new KnownDeviceKey(Octets("tablet"), 1)] }, "$.keys"),
        ];
        foreach ((UserMonitorQuery query, string field) in refused)
        {
            JsonElement problem = await SendAsync(Post(query), token, HttpStatusCode.Forbidden);
            Assert.Equal(ProblemTypes.Forbidden.Urn, problem.GetProperty("type").GetString());
            Assert.Equal(field, problem.GetProperty("field").GetString());
            Assert.DoesNotContain("tablet 1", problem.GetRawText(), StringComparison.Ordinal);
            // A caller with an API key may ask about every user.
            await AskAsync(query);
        }
        // The owner may also see a device that was once on the list.
        await SendAsync(Post(Alice with { From = 3, Keys = [new KnownDeviceKey(Octets("laptop"), 1)] }, accept: MediaTypes.Json), token,
            HttpStatusCode.OK);
        string keysOnly = _accounts.Token(AccountSystem.Claims(TimeProvider.System.GetUtcNow(), "history", ["phone", "id of alice"]));
        await SendAsync(Post(Alice), keysOnly, HttpStatusCode.Forbidden);
        string lookup = OfAlice("lookup");
        await SendAsync(Post(Alice), lookup, HttpStatusCode.Forbidden);
        await SendAsync(Post(Alice), null, HttpStatusCode.Unauthorized);
    }

    /// <summary>
    /// Tests that the holder of a token without <c>lookup</c> cannot find out which usernames exist. The answers about a free username and
    /// about the username of another user must have the same bytes and the same cost.
    /// </summary>
    [Fact]
    public async Task A_token_does_not_learn_which_usernames_exist()
    {
        await using Replica closed = await Replica.StartReadyAsync(
            Log, "closed", "--Optiks:Tokens:Audience", AccountSystem.Audience, "--Optiks:Tokens:KeysFile", KeysFile,
            "--Optiks:QueryService:RequireLookupScope", "true");
        string token = OfAlice("history");
        foreach (Replica replica in (Replica[])[Server, closed])
        {
            async Task<(HttpStatusCode, string, string)> AskAsync(string name)
            {
                using HttpRequestMessage request = Post(Alice with { Usernames = [Octets("alice"), Octets(name)] });
                request.Headers.Authorization = new AuthenticationHeaderValue("Bearer", token);
                using HttpResponseMessage response = await replica.SendAsync(request);
                string headers = string.Join(
                    '\n', response.Headers.Where(header => header.Key != "Date")
                        .Select(header => $"{header.Key}: {string.Join(',', header.Value)}"));
                JsonObject problem = JsonNode.Parse(await response.Content.ReadAsStringAsync())!.AsObject();
                Assert.True(problem.Remove("trace_id"));
                return (response.StatusCode, headers, problem.ToJsonString());
            }
            (HttpStatusCode status, _, string body) = await AskAsync("nobody");
            Assert.Equal(HttpStatusCode.ServiceUnavailable, status);
            using var problem = JsonDocument.Parse(body);
            Assert.Equal(ProblemTypes.NotCaughtUp.Urn, problem.RootElement.GetProperty("type").GetString());
            Assert.Equal("$.usernames[1]", problem.RootElement.GetProperty("field").GetString());
            Assert.Equal(await AskAsync("nobody"), await AskAsync("bob"));
        }
        // A caller whose API key allows lookups of usernames gets the answer, and its verifier refuses the name of the other user.
        await AskAsync(Alice with { Usernames = [Octets("alice"), Octets("bob")] });
    }

    [Fact]
    public async Task Nothing_that_is_malformed_is_answered()
    {
        (string Body, ProblemType Type, string Field)[] refused =
        [
            ("{}", ProblemTypes.MalformedRequest, "$.user"),
            ("""[{"user": "a"}]""", ProblemTypes.MalformedRequest, "$"),
            ("""{"user": ""}""", ProblemTypes.KeyLength, "$.user"),
            ("""{"user": "a", "user_b64": "YQ"}""", ProblemTypes.MalformedRequest, "$.user_b64"),
            ("""{"user": "a", "usernames": ["a"], "usernames_b64": ["YQ"]}""", ProblemTypes.MalformedRequest, "$.usernames_b64"),
            ("""{"user": "a", "usernames": ["a", ""]}""", ProblemTypes.KeyLength, "$.usernames[1]"),
            ("""{"user": "a", "from": 0}""", ProblemTypes.MalformedRequest, "$.from"),
            ("""{"user": "a", "keys": [{"device": "b"}]}""", ProblemTypes.MalformedRequest, "$.keys[0].from"),
            ("""{"user": "a", "keys": [{"device": "b", "from": 0}]}""", ProblemTypes.MalformedRequest, "$.keys[0].from"),
            ("""{"user": "a", "keys": [{"device": "b", "from": 1}, {"device_b64": "Yg", "from": 1}]}""",
                ProblemTypes.MalformedRequest, "$.keys"),
            (Names(ProtocolLimits.MaxOwnNames + 1), ProblemTypes.BatchLength, "$.usernames"),
        ];
        foreach ((string body, ProblemType type, string field) in refused)
        {
            Assert.Equal(field, await Server.ProblemAsync(Replica.Post(Monitor, body), type, asOwner: true));
        }
        await Server.OctetsAsync(Replica.Post(Monitor, Names(ProtocolLimits.MaxOwnNames)), asOwner: true);
        KnownDeviceKey phone = new(Octets("phone"), 1);
        Assert.Equal("$.keys", await ProblemAsync(Alice with { Keys = [phone, phone] }, ProblemTypes.MalformedRequest));
        Assert.Equal("$.keys", await ProblemAsync(Alice with { Keys = [phone with { Version = 0 }] }, ProblemTypes.MalformedRequest));
        Assert.Equal("$.from", await ProblemAsync(Alice with { From = 0 }, ProblemTypes.MalformedRequest));
        Assert.Equal("$.period", await ProblemAsync(Alice with { Period = 1 }, ProblemTypes.MalformedRequest));
        byte[] sound = (Alice with { Keys = [phone] }).Encode();
        for (int length = 0; length < sound.Length; length++)
        {
            await Server.ProblemAsync(Post(sound[..length]), ProblemTypes.MalformedRequest, asOwner: true);
        }
        await Server.ProblemAsync(Post([.. sound, 0]), ProblemTypes.MalformedRequest, asOwner: true);
        await Server.OctetsAsync(Post(sound), asOwner: true);
    }

    [Fact]
    public async Task Each_entry_is_paid_for()
    {
        await using Replica limited = await Replica.StartReadyAsync(
            Log, "limited", "--Optiks:RateLimits:Lookups:PerSecond", "0.01", "--Optiks:RateLimits:Lookups:Burst", "6");
        // The cost of this query is six: the name, the decommission, the list and three keys.
        await limited.OctetsAsync(Post(Alice with { Usernames = [] }), asOwner: true);
        await limited.OctetsAsync(Post(Alice), asOwner: true);
        await limited.ProblemAsync(Post(Alice), ProblemTypes.RateLimited, asOwner: true);
    }

    [Fact]
    public async Task Erased_versions_are_shown_without_their_values_and_an_erased_latest_is_none()
    {
        await Log.EraseAsync(("phone", 1));
        await using Replica replica = await Replica.StartReadyAsync(Log, "erased");
        byte[] answer = await replica.OctetsAsync(Post(Alice), asOwner: true);
        UserMonitorVerdict verdict = UserVerifier.Monitor(replica.Context(), Asked, answer);
        Assert.Equal(Reason.Valid, verdict.Reason);
        Assert.Equal(["-", "phone 2"], Values(answer, verdict.User!.Devices[1]));
        await Log.EraseAsync(("phone", 2));
        await using Replica gone = await Replica.StartReadyAsync(Log, "gone");
        await gone.ProblemAsync(Post(Alice), ProblemTypes.Erased, asOwner: true);
        await gone.OctetsAsync(Post(new UserMonitorQuery(Octets("id of bob"))), asOwner: true);
    }

    private static UserMonitorQuery Alice => new(Octets("id of alice")) { Usernames = [Octets("alice")] };

    private static OwnUserQuestion Asked => new(Octets("id of alice")) { Names = [Octets("alice")] };

    private static string Names(int count) =>
        $$"""{"user": "id of alice", "usernames": [{{string.Join(',', Enumerable.Repeat("\"alice\"", count))}}]}""";

    private static AcceptItem Of(StructureId structure, string key, string value) => TestLog.Item(structure, key, Octets(value));

    private static AcceptItem List(string name, params string[] devices) =>
        new(StructureId.Devices, Octets($"id of {name}"),
            DeviceList.Encode([.. devices.Select(device => (ReadOnlyMemory<byte>)Octets(device))]), null);

    private static byte[] Octets(string text) => Encoding.UTF8.GetBytes(text);

    private static string Text(ReadOnlyMemory<byte> octets) => Encoding.UTF8.GetString(octets.Span);

    private static string[] Values(byte[] answer, VerifiedOwnDevice device) =>
        [.. device.Key.Members.Select(member => member.Value is { } value ? Text(answer[value]) : "-")];

    private static HttpRequestMessage Post(UserMonitorQuery query, string path = Monitor, string accept = MediaTypes.UserMonitor) =>
        Post(query.Encode(), path, accept);

    private static HttpRequestMessage Post(byte[] body, string path = Monitor, string accept = MediaTypes.UserMonitor)
    {
        var request = new HttpRequestMessage(HttpMethod.Post, path) { Content = new ByteArrayContent(body) };
        request.Content.Headers.ContentType = new MediaTypeHeaderValue(MediaTypes.UserMonitorQuery);
        request.Headers.TryAddWithoutValidation("Accept", accept);
        return request;
    }

    // Returns the state that a verifier keeps after an answer about the given epoch. The answer's page may lack the last version of the
    // list.
    private static OwnUserQuestion Kept(VerifiedOwnUser user, ulong epoch) => new(Octets("id of alice"))
    {
        LeastEpoch = epoch,
        ListVersion = Kept(user.List!, epoch),
        List = user.KeptList,
        Keys = [.. user.Devices.Select(device => new KnownDevice(device.Device, Kept(device.Key, epoch)))],
    };

    private static KnownKey Kept(VerifiedVersions versions, ulong epoch) => versions.Members is not [.., var last]
        ? new KnownKey(0, 0, 0, 0, epoch)
        : versions.Complete
            ? new KnownKey(0, 0, last.Version, last.Time, epoch)
            : new KnownKey(0, 0, last.Version, last.Time, null, versions.Version);

    private string OfAlice(string scope)
    {
        JsonObject claims = AccountSystem.Claims(TimeProvider.System.GetUtcNow(), scope, "alice");
        claims["user"] = "id of alice";
        return _accounts.Token(claims);
    }

    private async Task<JsonElement> SendAsync(HttpRequestMessage request, string? token, HttpStatusCode expected)
    {
        using HttpRequestMessage sent = request;
        sent.Headers.Authorization = token is null ? null : new AuthenticationHeaderValue("Bearer", token);
        using HttpResponseMessage response = await Server.SendAsync(sent);
        string body = await response.Content.ReadAsStringAsync(TestContext.Current.CancellationToken);
        Assert.True(expected == response.StatusCode, body);
        return JsonSerializer.Deserialize<JsonElement>(body);
    }

    private Task<byte[]> AskAsync(UserMonitorQuery query) => Server.OctetsAsync(Post(query), asOwner: true);

    private Task<string?> ProblemAsync(UserMonitorQuery query, ProblemType type) => Server.ProblemAsync(Post(query), type, asOwner: true);

    private VerifiedOwnUser Verify(byte[] answer, OwnUserQuestion asked)
    {
        UserMonitorVerdict verdict = UserVerifier.Monitor(Server.Context(), asked, answer);
        Assert.Equal(Reason.Valid, verdict.Reason);
        return verdict.User!;
    }
}
