using Optiks.UpdateService.Tests.Support;

namespace Optiks.UpdateService.Tests;

/// <summary>
/// Tests bodies of <c>POST /v1/users</c> that the service refuses, each together with a similar body that it accepts.
/// <see cref="MalformedRequestTests"/> covers the code that both endpoints share.
/// </summary>
public sealed class MalformedUserTests : IClassFixture<MalformedRequestTests.Host>
{
    private const string Malformed = "malformed-request";
    private const string Good = """{"user":"K","changes":[{"op":"set-device","device":"K","value":"v"}]}""";
    private const string Leave = """{"user":"K","changes":[{"op":"decommission"}]}""";

    private static readonly Dictionary<string, RefusedBody> s_cases = Cases().ToDictionary(one => one.Name);
    private readonly Service _service;

    public MalformedUserTests(MalformedRequestTests.Host host)
    {
        _service = host.Service;
    }

    public static TheoryData<string> Names => [.. s_cases.Keys];

    [Fact]
    public void The_table_is_not_short() => Assert.True(s_cases.Count >= 70, $"{s_cases.Count} cases");

    [Theory]
    [MemberData(nameof(Names))]
    public async Task A_malformed_body_changes_nothing(string name)
    {
        RefusedBody one = s_cases[name];
        string before = _service.Database.Contents();

        Answer refused = await _service.PostUsersAsync(one.Bad(), one.ContentType);
        refused.IsProblem(one.Type, one.Status, one.Field);
        Assert.Equal(before, _service.Database.Contents());

        Answer accepted = await _service.PostUsersAsync(one.Control(Good));
        Assert.True(accepted.Status == 202, $"{accepted.Json}");
        Assert.NotEqual(before, _service.Database.Contents());
    }

    [Theory]
    [InlineData("GET", "/v1/users", "method-not-allowed", 405)]
    [InlineData("DELETE", "/v1/users", "method-not-allowed", 405)]
    [InlineData("POST", "/v1/user", "not-found", 404)]
    public async Task Other_methods_and_paths_are_problems_too(string method, string path, string type, int status) =>
        (await _service.SendAsync(new HttpRequestMessage(new HttpMethod(method), path))).IsProblem(type, status, null);

    private static IEnumerable<RefusedBody> Cases() =>
    [
        // The following bodies are wrong as a whole.
        new("empty", "", Malformed, "$"),
        new("null", "null", Malformed, "$"),
        new("trailing data", Good + "x", Malformed, "$"),
        new("an update", """{"key":"K","value":"v"}""", Malformed, "$.key"),
        new("unknown member", """{"user":"K","changes":[{"op":"decommission"}],"extra":1}""", Malformed, "$.extra", Leave),
        new("changes twice", """{"user":"K","changes":[{"op":"decommission"}],"changes":[{"op":"decommission"}]}""", Malformed,
            "$.changes", Leave),
        new("other media type", Good, "unsupported-media-type", null) { ContentType = "application/vnd.optiks.user-query" },

        // Ids.
        new("id is no UUID", """{"request_id":"x","user":"K","changes":[{"op":"decommission"}]}""", Malformed, "$.request_id",
            """{"request_id":"ID","user":"K","changes":[{"op":"decommission"}]}"""),
        new("id too old", """{"request_id":"OLD","user":"K","changes":[{"op":"decommission"}]}""", "request-id-time",
            "$.request_id", Leave),
        new("id of the year 10000",
            """{"request_id":"e677d21f-dc00-7000-8000-000000000000","user":"K","changes":[{"op":"decommission"}]}""", "request-id-time",
            "$.request_id", Leave),
        new("user is a number", """{"user":1,"changes":[{"op":"decommission"}]}""", Malformed, "$.user", Leave),
        new("user and user_b64", """{"user":"K","user_b64":"YQ","changes":[{"op":"decommission"}]}""", Malformed, "$.user_b64", Leave),
        new("empty user", """{"user":"","changes":[{"op":"decommission"}]}""", "key-length", "$.user", Leave),
        new("long user", $$"""{"user":"{{new string('a', 256)}}","changes":[{"op":"decommission"}]}""", "key-length", "$.user",
            $$"""{"user":"{{new string('a', 255)}}","changes":[{"op":"decommission"}]}"""),
        new("user_b64 with padding", """{"user_b64":"YQ==","changes":[{"op":"decommission"}]}""", Malformed, "$.user_b64",
            """{"user_b64":"YQ","changes":[{"op":"decommission"}]}"""),
        new("no user", """{"changes":[{"op":"set-device","device":"K","value":"v"}]}""", Malformed, "$.user",
            """{"changes":[{"op":"create","usernames":["K"]}]}"""),
        new("no user of a decommission", """{"changes":[{"op":"decommission"}]}""", Malformed, "$.user", Leave),

        // Changes.
        new("no changes", """{"user":"K"}""", Malformed, "$.changes", Leave),
        new("changes are no list", """{"user":"K","changes":{"op":"decommission"}}""", Malformed, "$.changes", Leave),
        new("empty changes", """{"user":"K","changes":[]}""", "batch-length", "$.changes", Leave),
        new("257 changes", Removes(257), "batch-length", "$.changes", Removes(256)),
        new("257 items", Adds(256), "batch-length", "$.changes[255]", Adds(255)),
        new("257 items of a user who is created", Creates(128, 128), "batch-length", "$.changes[0]", Creates(128, 127)),
        new("change is a text", """{"user":"K","changes":["decommission"]}""", Malformed, "$.changes[0]", Leave),
        new("no op", """{"user":"K","changes":[{}]}""", Malformed, "$.changes[0].op", Leave),
        new("op is a number", """{"user":"K","changes":[{"op":1}]}""", Malformed, "$.changes[0].op", Leave),
        new("unknown op", """{"user":"K","changes":[{"op":"rename"}]}""", Malformed, "$.changes[0].op", Leave),
        new("op in other case", """{"user":"K","changes":[{"op":"Decommission"}]}""", Malformed, "$.changes[0].op", Leave),
        new("op twice", """{"user":"K","changes":[{"op":"decommission","op":"decommission"}]}""", Malformed, "$.changes[0].op", Leave),
        new("unknown member of a change", """{"user":"K","changes":[{"op":"decommission","reason":"x"}]}""", Malformed,
            "$.changes[0].reason", Leave),

        // The following bodies have operations in a wrong order.
        new("create second", """{"user":"K","changes":[{"op":"add-device","device":"K","value":"v"},{"op":"create","usernames":["K"]}]}""",
            Malformed, "$.changes[1].op",
            """{"user":"K","changes":[{"op":"create","usernames":["K"]},{"op":"add-device","device":"K","value":"v"}]}"""),
        new("create twice", """{"user":"K","changes":[{"op":"create","usernames":["K"]},{"op":"create","usernames":["K2"]}]}""", Malformed,
            "$.changes[1].op",
            """{"user":"K","changes":[{"op":"create","usernames":["K"]},{"op":"add-username","username":"K2"}]}"""),
        new("decommission second", """{"user":"K","changes":[{"op":"remove-device","device":"K"},{"op":"decommission"}]}""", Malformed,
            "$.changes[1].op", Leave),
        new("decommission first of two", """{"user":"K","changes":[{"op":"decommission"},{"op":"remove-device","device":"K"}]}""",
            Malformed, "$.changes[1].op", Leave),
        new("decommission twice", """{"user":"K","changes":[{"op":"decommission"},{"op":"decommission"}]}""", Malformed,
            "$.changes[1].op", Leave),
        new("decommission of who is created", """{"user":"K","changes":[{"op":"create","usernames":["K"]},{"op":"decommission"}]}""",
            Malformed, "$.changes[1].op",
            """{"user":"K","changes":[{"op":"create","usernames":["K"]}]}"""),

        // The following operations have wrong members.
        new("decommission with a device", """{"user":"K","changes":[{"op":"decommission","device":"K"}]}""", Malformed,
            "$.changes[0].device", Leave),
        new("create with a username", """{"user":"K","changes":[{"op":"create","usernames":["K"],"username":"L"}]}""", Malformed,
            "$.changes[0].username",
            """{"user":"K","changes":[{"op":"create","usernames":["K"]}]}"""),
        new("create with a device", """{"user":"K","changes":[{"op":"create","usernames":["K"],"device":"K","value":"v"}]}""", Malformed,
            "$.changes[0].device",
            """{"user":"K","changes":[{"op":"create","usernames":["K"],"devices":[{"device":"K","value":"v"}]}]}"""),
        new("add-username with usernames", """{"user":"K","changes":[{"op":"add-username","username":"K","usernames":["L"]}]}""", Malformed,
            "$.changes[0].usernames",
            """{"user":"K","changes":[{"op":"add-username","username":"K"}]}"""),
        new("add-device with expected",
            """{"user":"K","changes":[{"op":"add-device","device":"K","value":"v","expected":{"period":0,"version":0}}]}""", Malformed,
            "$.changes[0].expected",
            """{"user":"K","changes":[{"op":"set-device","device":"K","value":"v","expected":{"period":0,"version":1}}]}"""),
        new("remove-device with a value", """{"user":"K","changes":[{"op":"remove-device","device":"K","value":"v"}]}""", Malformed,
            "$.changes[0].value",
            """{"user":"K","changes":[{"op":"remove-device","device":"K"}]}"""),
        new("a member before its wrong op", """{"user":"K","changes":[{"value_b64":"dg","device":"K","op":"remove-device"}]}""", Malformed,
            "$.changes[0].value_b64",
            """{"user":"K","changes":[{"value_b64":"dg","device":"K","op":"add-device"}]}"""),
        new("request id in a change", """{"user":"K","changes":[{"op":"decommission","request_id":"ID"}]}""", Malformed,
            "$.changes[0].request_id", Leave),
        new("expected without a period",
            """{"user":"K","changes":[{"op":"set-device","device":"K","value":"v","expected":{"version":0}}]}""", Malformed,
            "$.changes[0].expected.period"),

        // Usernames.
        new("no usernames", """{"user":"K","changes":[{"op":"create"}]}""", Malformed, "$.changes[0].usernames",
            """{"user":"K","changes":[{"op":"create","usernames":["K"]}]}"""),
        new("empty usernames", """{"user":"K","changes":[{"op":"create","usernames":[]}]}""", "batch-length", "$.changes[0].usernames",
            """{"user":"K","changes":[{"op":"create","usernames":["K"]}]}"""),
        new("257 usernames", Creates(257, 0), "batch-length", "$.changes[0].usernames", Creates(255, 0)),
        new("usernames are a text", """{"user":"K","changes":[{"op":"create","usernames":"K"}]}""", Malformed, "$.changes[0].usernames",
            """{"user":"K","changes":[{"op":"create","usernames":["K"]}]}"""),
        new("usernames and usernames_b64", """{"user":"K","changes":[{"op":"create","usernames":["K"],"usernames_b64":["YQ"]}]}""",
            Malformed, "$.changes[0].usernames_b64",
            """{"user":"K","changes":[{"op":"create","usernames_b64":["YQ"]}]}"""),
        new("text in usernames_b64", """{"user":"K","changes":[{"op":"create","usernames_b64":["YQ","Y?"]}]}""", Malformed,
            "$.changes[0].usernames_b64[1]",
            """{"user":"K","changes":[{"op":"create","usernames_b64":["YQ","Yw"]}]}"""),
        new("empty username", """{"user":"K","changes":[{"op":"create","usernames":["K",""]}]}""", "key-length",
            "$.changes[0].usernames[1]",
            """{"user":"K","changes":[{"op":"create","usernames":["K","K1"]}]}"""),
        new("long username", Renames(256), "key-length", "$.changes[0].username", Renames(255)),
        new("no username", """{"user":"K","changes":[{"op":"add-username"}]}""", Malformed, "$.changes[0].username",
            """{"user":"K","changes":[{"op":"add-username","username":"K"}]}"""),
        new("username and username_b64", """{"user":"K","changes":[{"op":"add-username","username":"K","username_b64":"YQ"}]}""", Malformed,
            "$.changes[0].username_b64",
            """{"user":"K","changes":[{"op":"add-username","username_b64":"YQ"}]}"""),
        new("username twice", """{"user":"K","changes":[{"op":"create","usernames":["K","K"]}]}""", "duplicate-key",
            "$.changes[0].usernames[1]",
            """{"user":"K","changes":[{"op":"create","usernames":["K","k"]}]}"""),
        new("username in two changes",
            """{"user":"K","changes":[{"op":"add-username","username":"same"},{"op":"add-username","username_b64":"c2FtZQ"}]}""",
            "duplicate-key",
            "$.changes[1].username_b64",
            """{"user":"K","changes":[{"op":"add-username","username":"same"},{"op":"add-username","username_b64":"c2FtZg"}]}"""),

        // Devices.
        new("no device", """{"user":"K","changes":[{"op":"add-device","value":"v"}]}""", Malformed, "$.changes[0].device",
            """{"user":"K","changes":[{"op":"add-device","value":"v","device":"K"}]}"""),
        new("no value", """{"user":"K","changes":[{"op":"set-device","device":"K"}]}""", Malformed, "$.changes[0].value"),
        new("no device to remove", """{"user":"K","changes":[{"op":"remove-device"}]}""", Malformed, "$.changes[0].device",
            """{"user":"K","changes":[{"op":"remove-device","device":"K"}]}"""),
        new("device and device_b64", """{"user":"K","changes":[{"op":"remove-device","device":"K","device_b64":"YQ"}]}""", Malformed,
            "$.changes[0].device_b64",
            """{"user":"K","changes":[{"op":"remove-device","device_b64":"YQ"}]}"""),
        new("value and value_b64", """{"user":"K","changes":[{"op":"set-device","device":"K","value":"v","value_b64":"dg"}]}""", Malformed,
            "$.changes[0].value_b64"),
        new("empty device", """{"user":"K","changes":[{"op":"remove-device","device":""}]}""", "key-length", "$.changes[0].device",
            """{"user":"K","changes":[{"op":"remove-device","device":"K"}]}"""),
        new("long value", Sets(65_537), "value-length", "$.changes[0].value", Sets(65_536)),
        new("empty devices", """{"user":"K","changes":[{"op":"create","usernames":["K"],"devices":[]}]}""", "batch-length",
            "$.changes[0].devices",
            """{"user":"K","changes":[{"op":"create","usernames":["K"]}]}"""),
        new("device of a list without value", """{"user":"K","changes":[{"op":"create","usernames":["K"],"devices":[{"device":"K"}]}]}""",
            Malformed, "$.changes[0].devices[0].value",
            """{"user":"K","changes":[{"op":"create","usernames":["K"],"devices":[{"device":"K","value":""}]}]}"""),
        new("expected in a list",
            """{"user":"K","changes":[{"op":"create","usernames":["K"],"devices":[{"device":"K","value":"","expected":{"period":0,"version":0}}]}]}""", Malformed,
            "$.changes[0].devices[0].expected",
            """{"user":"K","changes":[{"op":"create","usernames":["K"],"devices":[{"device":"K","value":""}]}]}"""),
        new("device twice in a list",
            """{"user":"K","changes":[{"op":"create","usernames":["K"],"devices":[{"device":"same","value":""},{"device_b64":"c2FtZQ","value":""}]}]}""", "duplicate-key",
            "$.changes[0].devices[1].device_b64",
            """{"user":"K","changes":[{"op":"create","usernames":["same"],"devices":[{"device":"same","value":""}]}]}"""),
        new("device set and removed",
            """{"user":"K","changes":[{"op":"set-device","device":"K","value":"v"},{"op":"remove-device","device":"K"}]}""",
            "duplicate-key", "$.changes[1].device",
            """{"user":"K","changes":[{"op":"set-device","device":"K","value":"v"},{"op":"remove-device","device":"K2"}]}"""),
        new("device removed and added",
            """{"user":"K","changes":[{"op":"remove-device","device":"K"},{"op":"add-device","device":"K","value":"v"}]}""",
            "duplicate-key", "$.changes[1].device",
            """{"user":"K","changes":[{"op":"remove-device","device":"K"},{"op":"add-device","device":"K2","value":"v"}]}"""),
        new("device removed twice", """{"user":"K","changes":[{"op":"remove-device","device":"K"},{"op":"remove-device","device":"K"}]}""",
            "duplicate-key", "$.changes[1].device",
            """{"user":"K","changes":[{"op":"remove-device","device":"K"},{"op":"remove-device","device":"K2"}]}"""),

        // Lists.
        new("empty list", "[]", "batch-length", "$", $"[{Good}]"),
        new("1001 elements", List(1001), "batch-length", "$", List(1000)),
        new("last element malformed", $$"""[{{Good}},{"user":"K2","changes":[{"op":"set-device","device":"K2"}]}]""", Malformed,
            "$[1].changes[0].value", $"[{Good}]"),
        new("id twice with other content",
            """[{"request_id":"ID","user":"K","changes":[{"op":"decommission"}]},{"request_id":"ID","user":"K2","changes":[{"op":"decommission"}]}]""",
            "request-id-reused", "$[1].request_id", """[{"request_id":"ID","user":"K","changes":[{"op":"decommission"}]}]"""),
    ];

    private static string Removes(int count) => Changes(count, i => $$"""{"op":"remove-device","device":"{{i}}"}""");

    private static string Adds(int count) => Changes(count, i => $$"""{"op":"add-device","device":"K-{{i}}","value":"v"}""");

    private static string Changes(int count, Func<int, string> change) =>
        $$"""{"user":"K","changes":[{{string.Join(',', Enumerable.Range(0, count).Select(change))}}]}""";

    private static string Creates(int usernames, int devices)
    {
        string names = string.Join(',', Enumerable.Range(0, usernames).Select(i => $"\"K-{i}\""));
        string list = devices == 0
            ? ""
            : $",\"devices\":[{string.Join(',', Enumerable.Range(0, devices).Select(i => $$"""{"device":"K-{{i}}","value":"v"}"""))}]";
        return $$"""{"user":"K","changes":[{"op":"create","usernames":[{{names}}]{{list}}}]}""";
    }

    private static string Renames(int length) =>
        $$"""{"user":"K","changes":[{"op":"add-username","username":"{{new string('a', length)}}"}]}""";

    private static string Sets(int length) =>
        $$"""{"user":"K","changes":[{"op":"set-device","device":"K","value":"{{new string('a', length)}}"}]}""";

    private static string List(int count) =>
        $"[{string.Join(',', Enumerable.Range(0, count).Select(i => $$"""{"user":"K-{{i}}","changes":[{"op":"decommission"}]}"""))}]";
}
