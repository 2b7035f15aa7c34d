using System.Security.Cryptography;
using System.Text;
using Optiks.Protocol;
using Optiks.Storage;
using Optiks.Storage.PostgreSql;
using Optiks.Storage.PostgreSql.Tests;
using Optiks.Storage.Sqlite;
using Optiks.Tests.Shared;
using Optiks.UpdateService.Tests.Support;

namespace Optiks.UpdateService.Tests;

/// <summary>
/// Tests which changes of users the service accepts, and that accepted changes become the right items, durably and only once
/// (docs/spec/rest.md section 5).
/// </summary>
[Collection(nameof(Cluster))]
public sealed class UserRequestTests
{
    private static readonly byte[] s_left = [1];

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_request_becomes_the_list_then_usernames_then_devices_then_the_decommission()
    {
        await using Service service = await Service.StartAsync();
        Answer accepted = await service.PostUsersAsync("""
            [{"user":"u1","changes":[{"op":"create","devices":[{"device":"d2","value":"2"},{"device_b64":"ZDE","value_b64":"MQ"}],"usernames":["alice","Alice"]},
                                     {"op":"add-username","username_b64":"AP8"},{"op":"add-device","value":"3","device":"d0"}]},
             {"user":"u2","changes":[{"op":"set-device","device":"e1","value":"1","expected":{"period":0,"version":4}},{"op":"add-device","device":"e3","value":""},
                                     {"op":"remove-device","device":"e2"},{"op":"add-username","username":"bob"},{"op":"remove-device","device":"e0"}]},
             {"user_b64":"dTM","changes":[{"op":"decommission"}]},
             {"user":"u4","changes":[{"op":"set-device","device":"f","value":"1"}]}]
            """);
        Assert.Equal(202, accepted.Status);
        Assert.Equal(["dTE", "dTI", "dTM", "dTQ"], accepted.Json.EnumerateArray().Select(one => one.GetProperty("user_b64").GetString()));
        Assert.Equal(
            [
                Item(0, StructureId.Devices, "u1", Change(true, ["d0", "d1", "d2"], [])),
                Item(1, StructureId.Usernames, "alice", "u1"u8),
                Item(2, StructureId.Usernames, "Alice", "u1"u8),
                $"3 {StructureId.Usernames} 00FF {Convert.ToHexString("u1"u8)}",
                Item(4, StructureId.Keys, "d2", "2"u8),
                Item(5, StructureId.Keys, "d1", "1"u8),
                Item(6, StructureId.Keys, "d0", "3"u8),
                Item(0, StructureId.Devices, "u2", Change(false, ["e3"], ["e0", "e2"])),
                Item(1, StructureId.Usernames, "bob", "u2"u8),
                Item(2, StructureId.Keys, "e1", "1"u8),
                Item(3, StructureId.Keys, "e3", []),
                Item(0, StructureId.Devices, "u3", Change(false, [], [])),
                Item(1, StructureId.Decommissioned, "u3", s_left),
                Item(0, StructureId.Devices, "u4", Change(false, [], [])),
                Item(1, StructureId.Keys, "f", "1"u8),
            ],
            service.Database.PendingItems()
                .Select(
                    item =>
                        $"{item.Item} {(StructureId)item.Structure} {Convert.ToHexString(item.Key)} {Convert.ToHexString(item.Value)}"));
    }

    [Fact]
    public async Task The_answer_names_the_user()
    {
        await using Service service = await Service.StartAsync();
        Guid id = Ids.New();
        Answer accepted = await service.PostUsersAsync(
            $$$"""{"request_id":"{{{id}}}","user":"user 17","changes":[{"op":"create","usernames":["alice"]}]}""");
        Assert.Equal(202, accepted.Status);
        Assert.Equal("application/json", accepted.MediaType);
        Assert.Equal($$"""{"request_id":"{{id}}","status":"pending","status_url":"/v1/updates/{{id}}","user_b64":"dXNlciAxNw"}""",
            accepted.Json.GetRawText());
        Assert.Equal($"/v1/updates/{id}", accepted.Headers.Location?.OriginalString);
        Assert.True(accepted.Headers.CacheControl?.NoStore);
        Answer list = await service.PostUsersAsync(
            $$$"""[{"request_id":"{{{id}}}","user":"user 17","changes":[{"op":"create","usernames":["alice"]}]}]""");
        Assert.Equal($"[{accepted.Json.GetRawText()}]", list.Json.GetRawText());
        Assert.Null(list.Headers.Location);
    }

    [Fact]
    public async Task A_user_without_an_id_gets_one_of_the_request()
    {
        await using Service service = await Service.StartAsync();
        Guid id = Ids.New();
        string body =
            $$$"""{"request_id":"{{{id}}}","changes":[{"op":"create","usernames":["alice"],"devices":[{"device":"phone","value":"v"}]}]}""";
        byte[] user = SHA256.HashData([.. "optiks user id 1\n"u8, .. id.ToByteArray(bigEndian: true)])[..16];
        Answer accepted = await service.PostUsersAsync(body);
        Assert.Equal(Base64UrlText.Encode(user), accepted.Text("user_b64"));
        (_, _, byte[] key, _) = service.Database.PendingItems()[0];
        Assert.Equal(user, key);
        string before = service.Database.Contents();
        Assert.Equal(accepted.Json.GetRawText(), (await service.PostUsersAsync(body)).Json.GetRawText());
        // The service derived the user id of the first request from the request id. A repeated request that names this user id is the same
        // request. A repeated request that names another user id is a different request.
        string named = body.Replace("\"changes\"", $"\"user_b64\":\"{Base64UrlText.Encode(user)}\",\"changes\"", StringComparison.Ordinal);
        Assert.Equal(accepted.Json.GetRawText(), (await service.PostUsersAsync(named)).Json.GetRawText());
        (await service.PostUsersAsync(body.Replace("\"changes\"", "\"user\":\"u\",\"changes\"", StringComparison.Ordinal))).IsProblem(
            "request-id-reused", 409, "$.request_id");
        Assert.Equal(before, service.Database.Contents());

        // If the service makes both the request's id and the user's id, the answer contains both.
        Answer made = await service.PostUsersAsync("""{"changes":[{"op":"create","usernames":["bob"]}]}""");
        Guid madeId = made.Json.GetProperty("request_id").GetGuid();
        Assert.Equal(
            Base64UrlText.Encode(SHA256.HashData([.. "optiks user id 1\n"u8, .. madeId.ToByteArray(bigEndian: true)]).AsSpan(0, 16)),
            made.Text("user_b64"));
    }

    [Fact]
    public async Task A_request_id_names_one_request_whichever_endpoint_took_it()
    {
        await using Service service = await Service.StartAsync();
        (Guid first, Guid second) = (Ids.New(), Ids.New());
        string update = $$"""{"request_id":"{{first}}","key":"phone","value":"v"}""";
        string change = $$$"""{"request_id":"{{{second}}}","user":"u","changes":[{"op":"set-device","device":"phone","value":"v"}]}""";
        Assert.Equal(202, (await service.PostAsync(update)).Status);
        Assert.Equal(202, (await service.PostUsersAsync(change)).Status);
        string before = service.Database.Contents();
        (await service.PostUsersAsync(change.Replace($"{second}", $"{first}", StringComparison.Ordinal))).IsProblem(
            "request-id-reused", 409, "$.request_id");
        (await service.PostAsync(update.Replace($"{first}", $"{second}", StringComparison.Ordinal))).IsProblem(
            "request-id-reused", 409, "$.request_id");
        Assert.Equal(202, (await service.PostAsync(update)).Status);
        // It makes no difference how the JSON text of a request is written.
        Assert.Equal(202, (await service.PostUsersAsync(
            $$$""" { "changes":[{"value_b64":"dg","device_b64":"cGhvbmU","op":"set-\u0064evice"}], "user_b64":"dQ", "request_id":"{{{second}}}" } """)).Status);
        foreach (string other in (string[])
            [
                """{"user":"w","changes":[{"op":"set-device","device":"phone","value":"v"}]""",
                """{"user":"u","changes":[{"op":"set-device","device":"phone","value":"w"}]""",
                """{"user":"u","changes":[{"op":"add-device","device":"phone","value":"v"}]""",
                """{"user":"u","changes":[{"op":"set-device","device":"phone","value":"v","expected":{"period":0,"version":1}}]""",
                """{"user":"u","changes":[{"op":"set-device","device":"phone","value":"v"},{"op":"remove-device","device":"laptop"}]""",
                """{"user":"u","changes":[{"op":"decommission"}]""",
            ])
        {
            (await service.PostUsersAsync($"{other},\"request_id\":\"{second}\"}}")).IsProblem("request-id-reused", 409, "$.request_id");
        }
        Assert.Equal(before, service.Database.Contents());
    }

    [Fact]
    public async Task Seventeen_requests_about_one_user_are_too_many()
    {
        await using Service service = await Service.StartAsync();
        string list =
            $"[{string.Join(',', Enumerable.Range(0, 16).Select(i => $$$"""{"user":"u","changes":[{"op":"set-device","device":"d{{{i}}}","value":"v"}]}"""))}]";
        Assert.Equal(202, (await service.PostUsersAsync(list)).Status);
        string flood = $"[{string.Join(',', Enumerable.Range(0, 16).Select(i => $$"""{"key":"flood","value":"{{i}}"}"""))}]";
        Assert.Equal(202, (await service.PostAsync(flood)).Status);
        string names =
            $"[{string.Join(',', Enumerable.Range(0, 16).Select(i => $$$"""{"user":"n{{{i}}}","changes":[{"op":"add-username","username":"flood"}]}"""))}]";
        Assert.Equal(202, (await service.PostUsersAsync(names)).Status);
        string before = service.Database.Contents();
        (string Body, string Field)[] refused =
        [
            ("""{"user":"u","changes":[{"op":"remove-device","device":"d"}]}""", "$.user"),
            ("""[{"user":"v","changes":[{"op":"decommission"}]},{"user_b64":"dQ","changes":[{"op":"decommission"}]}]""", "$[1].user_b64"),
            // A device's key is the same key in either kind of request; so is a username.
            ("""{"user":"v","changes":[{"op":"set-device","device":"flood","value":"v"}]}""", "$.changes[0].device"),
            ("""{"user":"v","changes":[{"op":"create","usernames":["a"],"devices":[{"device":"b","value":"v"},{"device_b64":"Zmxvb2Q","value":"v"}]}]}""", "$.changes[0].devices[1].device_b64"),
            ("""{"user":"v","changes":[{"op":"create","usernames_b64":["YQ","Zmxvb2Q"]}]}""", "$.changes[0].usernames_b64[1]"),
            ("""{"user":"v","changes":[{"op":"add-device","device":"b","value":"v"},{"op":"add-username","username":"flood"}]}""",
                "$.changes[1].username"),
        ];
        foreach ((string body, string field) in refused)
        {
            (await service.PostUsersAsync(body)).IsProblem("too-many-pending", 429, field);
        }
        Assert.Equal(before, service.Database.Contents());
        Assert.Equal(202, (await service.PostUsersAsync("""{"user":"v","changes":[{"op":"remove-device","device":"flood"}]}""")).Status);

        await service.Log.StartAsync();
        await service.Log.PublishAsync();
        Assert.Equal(202, (await service.PostUsersAsync("""{"user":"u","changes":[{"op":"decommission"}]}""")).Status);
    }

    [Fact]
    public async Task A_list_is_stored_whole_or_not_at_all()
    {
        await using Service service = await Service.StartAsync();
        Guid known = Ids.New();
        Assert.Equal(
            202, (await service.PostUsersAsync($$$"""{"request_id":"{{{known}}}","user":"u","changes":[{"op":"decommission"}]}""")).Status);
        string before = service.Database.Contents();
        (await service.PostUsersAsync(
            $$$"""[{"user":"v","changes":[{"op":"decommission"}]},{"request_id":"{{{known}}}","user":"v","changes":[{"op":"decommission"}]}]"""))
            .IsProblem("request-id-reused", 409, "$[1].request_id");
        Assert.Equal(before, service.Database.Contents());
        Answer accepted = await service.PostUsersAsync(
            $$$"""[{"user":"v","changes":[{"op":"decommission"}]},{"request_id":"{{{known}}}","user":"u","changes":[{"op":"decommission"}]},{"request_id":"{{{known}}}","user":"u","changes":[{"op":"decommission"}]}]""");
        Assert.Equal(["dg", "dQ", "dQ"], accepted.Json.EnumerateArray().Select(one => one.GetProperty("user_b64").GetString()));
        Assert.Equal(2, service.Database.Requests());
    }

    [Fact]
    public async Task The_log_s_own_limits_hold()
    {
        await using Service service = await Service.StartAsync(new()
        {
            ["Optiks:Log:MaxKeyLength"] = "15",
            ["Optiks:Log:MaxValueLength"] = "10",
            ["Optiks:Log:UsernameForm"] = "CaseMapped",
        });
        (await service.PostUsersAsync("""{"changes":[{"op":"create","usernames":["alice"]}]}""")).IsProblem("key-length", 400, "$.user");
        (await service.PostUsersAsync("""{"user":"12345678901","changes":[{"op":"create","usernames":["alice"]}]}""")).IsProblem(
            "value-length", 400, "$.user");
        (await service.PostUsersAsync("""{"user":"1","changes":[{"op":"create","usernames":["a b"]}]}""")).IsProblem(
            "username-form", 400, "$.changes[0].usernames[0]");
        (await service.PostUsersAsync("""{"user":"1","changes":[{"op":"add-username","username":""}]}""")).IsProblem(
            "username-form", 400, "$.changes[0].username");
        (await service.PostUsersAsync("""{"user":"1","changes":[{"op":"add-username","username_b64":"_w"}]}""")).IsProblem(
            "username-form", 400, "$.changes[0].username_b64");
        // One name in two spellings.
        (await service.PostUsersAsync("""{"user":"1","changes":[{"op":"create","usernames":["alice","ALICE"]}]}""")).IsProblem(
            "duplicate-key", 400, "$.changes[0].usernames[1]");
        Assert.Equal(0, service.Database.Requests());
        Assert.Equal(
            202,
            (await service.PostUsersAsync(
                """{"user":"1234567890","changes":[{"op":"create","usernames":["Alice","bob"],"devices":[{"device":"A","value":"1234567890"}]}]}"""))
                .Status);
        Assert.Equal(["alice", "bob", "A"], service.Database.PendingItems().Skip(1).Select(item => Encoding.UTF8.GetString(item.Key)));
        // A user who leaves needs no username.
        Assert.Equal(202, (await service.PostUsersAsync("""{"user":"12345678901","changes":[{"op":"decommission"}]}""")).Status);
    }

    [Fact]
    public async Task A_limit_counts_items()
    {
        await using Service service =
            await Service.StartAsync(new() { ["Optiks:RateLimits:Updates:PerSecond"] = "0.01", ["Optiks:RateLimits:Updates:Burst"] = "3" });
        Assert.Equal(
            202,
            (await service.PostUsersAsync(
                """{"user":"u","changes":[{"op":"create","usernames":["a","b"],"devices":[{"device":"c","value":"v"}]}]}""")).Status);
        string before = service.Database.Contents();
        // The bucket had three tokens, and four were taken, one of them for the list.
        Answer refused = await service.PostUsersAsync("""{"user":"v","changes":[{"op":"decommission"}]}""");
        refused.IsProblem("rate-limited", 429, null);
        Assert.Equal(TimeSpan.FromSeconds(200), refused.Headers.RetryAfter?.Delta);
        (await service.PostAsync("""{"key":"e","value":"v"}""")).IsProblem("rate-limited", 429, null);
        Assert.Equal(before, service.Database.Contents());
    }

    [Theory]
    [InlineData("sqlite")]
    [InlineData("postgresql")]
    public async Task Many_callers_changes_are_committed_together_with_updates(string provider)
    {
        const int callers = 40;
        bool isPostgreSql = provider == "postgresql";
        string connectionString = isPostgreSql ? await Cluster.Current.CreateMigratedDatabaseAsync() : "";
        try
        {
            var settings = new Dictionary<string, string?>();
            if (isPostgreSql)
            {
                settings = new() { ["Optiks:Storage:Provider"] = provider, ["Optiks:Storage:ConnectionString"] = connectionString };
            }
            var engine = new WrappedEngine(isPostgreSql ? new PostgreSqlStorageProvider() : new SqliteStorageProvider());
            await using Service service = await Service.StartAsync(settings, engine);
            var gate = new TaskCompletionSource();
            engine.BeforeAccept = () => gate.Task;
            Task<Answer> first = service.PostAsync("""{"key":"first","value":"v"}""");
            await Eventually.IsAsync(() => engine.Groups.Count == 1);
            (Guid Id, Task<Answer> Answer)[] asked = [.. Enumerable.Range(0, callers).Select(i =>
            {
                Guid id = Ids.New();
                return (id, i % 2 == 0
                    ? service.PostUsersAsync(
                        $$$"""{"request_id":"{{{id}}}","changes":[{"op":"create","usernames":["name {{{i}}}"],"devices":[{"device":"device {{{i}}}","value":"v"}]}]}""")
                    : service.PostAsync($$"""{"request_id":"{{id}}","key":"key {{i}}","value":"v"}"""));
            })];
            await Eventually.IsAsync(() => service.Gauge("optiks.update.queue.callers") == callers);
            gate.SetResult();
            Assert.Equal(202, (await first).Status);
            foreach ((Guid id, Task<Answer> answer) in asked)
            {
                Assert.Equal(202, (await answer).Status);
                Assert.Equal("pending", (await service.GetAsync($"/v1/updates/{id}")).Text("status"));
            }
            Assert.True(engine.Groups.Count < callers, "They were not committed together.");
        }
        finally
        {
            if (isPostgreSql)
            {
                await Cluster.Current.DropDatabaseAsync(connectionString);
            }
        }
    }

    private static byte[] Change(bool creates, string[] added, string[] removed) =>
        new UserChange(creates, [.. added.Select(Octets)], [.. removed.Select(Octets)]).Encode().ToArray();

    private static ReadOnlyMemory<byte> Octets(string text) => Encoding.UTF8.GetBytes(text);

    private static string Item(int number, StructureId structure, string key, ReadOnlySpan<byte> value) =>
        $"{number} {structure} {Convert.ToHexString(Encoding.UTF8.GetBytes(key))} {Convert.ToHexString(value)}";
}
