using System.Text;
using Optiks.Protocol;
using Optiks.UpdateService.Tests.Support;

namespace Optiks.UpdateService.Tests;

/// <summary>Tests bodies that the service refuses, each together with a similar body that it accepts. A refused body leaves the database
/// unchanged.</summary>
public sealed class MalformedRequestTests : IClassFixture<MalformedRequestTests.Host>
{
    private const string Malformed = "malformed-request";
    private const string Good = """{"key":"K","value":"v"}""";

    private static readonly Dictionary<string, RefusedBody> s_cases = Cases().ToDictionary(one => one.Name);
    private readonly Service _service;

    public MalformedRequestTests(Host host)
    {
        _service = host.Service;
    }

    public static TheoryData<string> Names => [.. s_cases.Keys];

    [Fact]
    public void The_table_is_not_short() => Assert.True(s_cases.Count >= 60, $"{s_cases.Count} cases");

    [Theory]
    [MemberData(nameof(Names))]
    public async Task A_malformed_body_changes_nothing(string name)
    {
        RefusedBody one = s_cases[name];
        string before = _service.Database.Contents();

        Answer refused = await _service.PostAsync(one.Bad(), one.ContentType);
        refused.IsProblem(one.Type, one.Status, one.Field);
        Assert.Equal(before, _service.Database.Contents());

        Answer accepted = await _service.PostAsync(one.Control(Good));
        Assert.Equal(202, accepted.Status);
        Assert.NotEqual(before, _service.Database.Contents());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_body_beyond_the_limit_is_refused_however_it_is_sent(bool chunked)
    {
        string before = _service.Database.Contents();
        byte[] tooLong = Encoding.UTF8.GetBytes(Good.PadRight((8 << 20) + 1));
        byte[] tenMegabytes = Encoding.UTF8.GetBytes(Good.PadRight(10_000_000));
        foreach (byte[] body in (byte[][])[tooLong, tenMegabytes])
        {
            Answer refused = await _service.PostAsync(body, change: request => request.Headers.TransferEncodingChunked = chunked);
            refused.IsProblem("body-too-large", 413, null);
        }
        Assert.Equal(before, _service.Database.Contents());

        byte[] fits = Encoding.UTF8.GetBytes($$"""{"key":"fits-{{chunked}}","value":"v"}""".PadRight(8 << 20));
        Assert.Equal(202, (await _service.PostAsync(fits, change: request => request.Headers.TransferEncodingChunked = chunked)).Status);
    }

    [Fact]
    public async Task An_answer_that_cannot_be_given_stores_nothing()
    {
        string before = _service.Database.Contents();
        byte[] body = Encoding.UTF8.GetBytes("""{"key":"accept","value":"v"}""");
        (await _service.PostAsync(body, change: request => request.Headers.Accept.ParseAdd("text/html"))).IsProblem("not-acceptable", 406,
            null);
        Assert.Equal(before, _service.Database.Contents());
        Assert.Equal(202,
            (await _service.PostAsync(body, change: request => request.Headers.Accept.ParseAdd("text/html, application/*;q=0.1"))).Status);
    }

    [Theory]
    [InlineData("GET", "/v1/updates", "method-not-allowed", 405)]
    [InlineData("PUT", "/v1/updates", "method-not-allowed", 405)]
    [InlineData("DELETE", "/v1/updates/0199b9c0-0000-7000-8000-000000000000", "method-not-allowed", 405)]
    [InlineData("POST", "/v1/update", "not-found", 404)]
    [InlineData("GET", "/", "not-found", 404)]
    public async Task Other_methods_and_paths_are_problems_too(string method, string path, string type, int status) =>
        (await _service.SendAsync(new HttpRequestMessage(new HttpMethod(method), path))).IsProblem(type, status, null);

    private static IEnumerable<RefusedBody> Cases() =>
    [
        // Not JSON.
        new("empty", "", Malformed, "$"),
        new("white space", "  ", Malformed, "$"),
        new("no JSON", "nonsense", Malformed, "$"),
        new("unfinished", "{", Malformed, "$"),
        new("unfinished string", """{"key":"K""", Malformed, "$.key"),
        new("trailing comma", """{"key":"K","value":"v",}""", Malformed, "$.value"),
        new("trailing data", Good + "x", Malformed, "$"),
        new("two values", Good + Good, Malformed, "$"),
        new("comment", "/* c */" + Good, Malformed, "$"),
        new("single quotes", "{'key':'K','value':'v'}", Malformed, "$"),
        new("raw control character", "{\"key\":\"K\u0001\",\"value\":\"v\"}", Malformed, "$.key", """{"key":"K\u0001","value":"v"}"""),
        new("byte order mark", "\uFEFF" + Good, Malformed, "$"),
        new("not UTF-8", [.. "{\"key\":\"K"u8, 0xC3, 0x28, .. "\",\"value\":\"v\"}"u8], Malformed, "$"),
        new("lone surrogate", """{"key":"K\ud800","value":"v"}""", Malformed, "$.key", """{"key":"K\ud83d\ude00","value":"v"}"""),
        new("deep list", new string('[', 100_000), Malformed, "$[0]"),
        new("deep value", $$"""{"key":"K","value":{{new string('[', 40)}}{{new string(']', 40)}}}""", Malformed, "$.value"),

        // The following bodies have wrong types and members.
        new("null", "null", Malformed, "$"),
        new("text", "\"text\"", Malformed, "$"),
        new("number", "5", Malformed, "$"),
        new("empty object", "{}", Malformed, "$.key"),
        new("key is a number", """{"key":5,"value":"v"}""", Malformed, "$.key"),
        new("key is null", """{"key":null,"value":"v"}""", Malformed, "$.key"),
        new("key is a list", """{"key":["K"],"value":"v"}""", Malformed, "$.key"),
        new("value is an object", """{"key":"K","value":{}}""", Malformed, "$.value"),
        new("value is true", """{"key":"K","value":true}""", Malformed, "$.value"),
        new("key twice", """{"key":"K","key":"K","value":"v"}""", Malformed, "$.key"),
        new("key twice, once escaped", """{"key":"K","\u006bey":"K","value":"v"}""", Malformed, "$.key",
            """{"\u006bey":"K","value":"v"}"""),
        new("unknown member", """{"key":"K","value":"v","extra":1}""", Malformed, "$.extra"),
        new("member in other case", """{"keY":"K","value":"v"}""", Malformed, "$.keY"),
        new("key and key_b64", """{"key":"K","key_b64":"YQ","value":"v"}""", Malformed, "$.key_b64"),
        new("value and value_b64", """{"key":"K","value":"v","value_b64":"YQ"}""", Malformed, "$.value_b64"),
        new("no key", """{"value":"v"}""", Malformed, "$.key"),
        new("no value", """{"key":"K"}""", Malformed, "$.value", """{"key":"K","value":""}"""),

        // Bytes.
        new("padding", """{"key":"K","value_b64":"YQ=="}""", Malformed, "$.value_b64", """{"key":"K","value_b64":"YQ"}"""),
        new("other alphabet", """{"key":"K","value_b64":"+/+/"}""", Malformed, "$.value_b64", """{"key":"K","value_b64":"-_-_"}"""),
        new("unused bits", """{"key":"K","value_b64":"YR"}""", Malformed, "$.value_b64", """{"key":"K","value_b64":"YQ"}"""),
        new("impossible length", """{"key":"K","value_b64":"YWFhY"}""", Malformed, "$.value_b64", """{"key":"K","value_b64":"YWFhYQ"}"""),
        new("white space in octets", """{"key_b64":"YWFh YWFh","value":"v"}""", Malformed, "$.key_b64",
            """{"key_b64":"YWFhYWFh","value":"v"}"""),

        // Lengths.
        new("empty key", """{"key":"","value":"v"}""", "key-length", "$.key"),
        new("empty key_b64", """{"key_b64":"","value":"v"}""", "key-length", "$.key_b64"),
        new("long key", Update(new string('a', 256), "v"), "key-length", "$.key", Update(new string('a', 255), "v")),
        new("long key in octets of UTF-8", Update(new string('\u20AC', 86), "v"), "key-length", "$.key",
            Update(new string('\u20AC', 85), "v")),
        new("long key_b64", Octets(256, 1), "key-length", "$.key_b64", Octets(255, 1)),
        new("long value", Update("K", new string('a', 65_537)), "value-length", "$.value", Update("K", new string('a', 65_536))),
        new("long value_b64", Octets(1, 65_537), "value-length", "$.value_b64", Octets(1, 65_536)),

        // Request ids.
        new("id is no UUID", WithId("nonsense"), Malformed, "$.request_id", WithId("ID")),
        new("id in braces", WithId("{ID}"), Malformed, "$.request_id", WithId("ID")),
        new("id is a number", """{"request_id":7,"key":"K","value":"v"}""", Malformed, "$.request_id"),
        new("id of version 4", WithId("8f3a3c1e-6d1b-4c7e-9b1a-2f6f5a1d2c3b"), Malformed, "$.request_id", WithId("ID")),
        new("id of another variant", WithId("0199b9c0-0000-7000-0000-000000000000"), Malformed, "$.request_id", WithId("ID")),
        new("nil id", WithId("00000000-0000-0000-0000-000000000000"), Malformed, "$.request_id", WithId("ID")),
        new("old id", WithId("OLD"), "request-id-time", "$.request_id", WithId("ALMOST_O")),
        new("id of the future", WithId("NEW"), "request-id-time", "$.request_id", WithId("ALMOST_N")),

        // Expected versions.
        new("expected is a number", Expected("1"), Malformed, "$.expected", Expected("""{"period":0,"version":1}""")),
        new("no period", Expected("""{"version":0}"""), Malformed, "$.expected.period", Expected("""{"version":0,"period":0}""")),
        new("no version", Expected("""{"period":0}"""), Malformed, "$.expected.version", Expected("""{"period":0,"version":0}""")),
        new("unknown member of expected", Expected("""{"period":0,"version":0,"epoch":0}"""), Malformed, "$.expected.epoch"),
        new("negative", Version("-1"), Malformed, "$.expected.version", Version("1")),
        new("fraction", Version("1.0"), Malformed, "$.expected.version", Version("1")),
        new("exponent", Version("1e0"), Malformed, "$.expected.version", Version("1")),
        new("2^53", Version("9007199254740992"), Malformed, "$.expected.version", Version("9007199254740991")),
        new("2^64", Version("18446744073709551616"), Malformed, "$.expected.version", Version("0")),
        new("leading zero", Version("01"), Malformed, "$.expected.version", Version("10")),
        new("number as text", Version("\"1\""), Malformed, "$.expected.version", Version("1")),

        // Atomic requests.
        new("no items", """{"items":[]}""", "batch-length", "$.items", Items(1)),
        new("257 items", Items(257), "batch-length", "$.items", Items(256)),
        new("items are no list", """{"items":{}}""", Malformed, "$.items", Items(1)),
        new("items beside a key", """{"items":[{"key":"K","value":"v"}],"key":"L"}""", Malformed, "$.key", Items(1)),
        new("items beside expected", """{"expected":{"period":0,"version":0},"items":[{"key":"K","value":"v"}]}""", Malformed,
            "$.expected", Items(1)),
        new("id in an item", """{"items":[{"key":"K","value":"v","request_id":"ID"}]}""", Malformed, "$.items[0].request_id", Items(1)),
        new("items in items", """{"items":[{"items":[{"key":"K","value":"v"}]}]}""", Malformed, "$.items[0].items", Items(1)),
        new("item without value", """{"items":[{"key":"K","value":"v"},{"key":"L"}]}""", Malformed, "$.items[1].value", Items(2)),
        new("key in two items", """{"items":[{"key":"K","value":"v"},{"key":"K","value":"w"}]}""", "duplicate-key", "$.items[1].key",
            """{"items":[{"key":"K","value":"v"},{"key":"K2","value":"w"}]}"""),
        new("key in two items, spelled differently", """{"items":[{"key":"same","value":"v"},{"key_b64":"c2FtZQ","value":"v"}]}""",
            "duplicate-key", "$.items[1].key_b64", Items(2)),

        // Lists.
        new("empty list", "[]", "batch-length", "$", $"[{Good}]"),
        new("1001 elements", List(1001), "batch-length", "$", List(1000)),
        new("list in a list", $"[[{Good}]]", Malformed, "$[0]", $"[{Good}]"),
        new("last element malformed", $$"""[{{Good}},{"key":"K","value":7}]""", Malformed, "$[1].value", $"[{Good},{Good}]"),
        new("first id of the year 10000", WithId("e677d21f-dc00-7000-8000-000000000000"), "request-id-time", "$.request_id",
            WithId("ALMOST_N")),
        new("last id of all", WithId("ffffffff-ffff-7fff-bfff-ffffffffffff"), "request-id-time", "$.request_id", WithId("ALMOST_N")),
        new("last element's id beyond all clocks", $"[{Good},{WithId("ffffffff-ffff-7fff-bfff-ffffffffffff")}]", "request-id-time",
            "$[1].request_id", $"[{Good},{WithId("ID")}]"),
        new("last element's id too old", $"[{Good},{WithId("OLD")}]", "request-id-time", "$[1].request_id", $"[{Good},{WithId("ID")}]"),
        new("item of an element", $$"""[{{Good}},{"items":[{"key":"","value":"v"}]}]""", "key-length", "$[1].items[0].key",
            $"[{Good},{Items(2)}]"),
        new("id twice with other content", """[{"request_id":"ID","key":"K","value":"v"},{"request_id":"ID","key":"K","value":"w"}]""",
            "request-id-reused", "$[1].request_id",
            """[{"request_id":"ID","key":"K","value":"v"},{"request_id":"ID","key":"K","value":"v"}]"""),

        // Media types.
        new("no content type", Good, "unsupported-media-type", null) { ContentType = null },
        new("text/plain", Good, "unsupported-media-type", null) { ContentType = "text/plain" },
        new("form", Good, "unsupported-media-type", null) { ContentType = "application/x-www-form-urlencoded" },
        new("binary query", Good, "unsupported-media-type", null) { ContentType = "application/vnd.optiks.query" },
        new("other charset", Good, "unsupported-media-type", null) { ContentType = "application/json; charset=utf-16" },
    ];

    private static string Update(string key, string value) => $$"""{"key":"{{key}}","value":"{{value}}"}""";

    private static string Octets(int keyLength, int valueLength) =>
        $$"""{"key_b64":"{{Base64UrlText.Encode(new byte[keyLength])}}","value_b64":"{{Base64UrlText.Encode(new byte[valueLength])}}"}""";

    private static string WithId(string id) => $$"""{"request_id":"{{id}}","key":"K","value":"v"}""";

    private static string Expected(string expected) => $$"""{"key":"K","value":"v","expected":{{expected}}}""";

    private static string Version(string version) => Expected($$"""{"period":0,"version":{{version}}}""");

    private static string Items(int count) =>
        $$"""{"items":[{{string.Join(',', Enumerable.Range(0, count).Select(i => Update($"K-{i}", "v")))}}]}""";

    private static string List(int count) => $"[{string.Join(',', Enumerable.Range(0, count).Select(i => Update($"K-{i}", "v")))}]";

    /// <summary>Provides one host to all tests of the class. They can share it because a refused request leaves nothing behind.</summary>
    public sealed class Host : IAsyncLifetime
    {
        private Service? _service;

        internal Service Service => _service!;

        public async ValueTask InitializeAsync() => _service = await Service.StartAsync();

        public async ValueTask DisposeAsync()
        {
            if (_service is not null)
            {
                await _service.DisposeAsync();
            }
        }
    }
}
