using System.Net.Http.Headers;
using System.Text;
using Optiks.Protocol;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Tests;

/// <summary>Tests that the service answers every mistake in a query with a problem that names the field.</summary>
public sealed class MalformedQueryTests
{
    private readonly Replica _replica;

    public MalformedQueryTests(PublishedLog published)
    {
        ArgumentNullException.ThrowIfNull(published);
        _replica = published.Replica;
    }

    [Theory]
    [InlineData("", "malformed-request", "$")]
    [InlineData("{", "malformed-request", "$")]
    [InlineData("5", "malformed-request", "$")]
    [InlineData("null", "malformed-request", "$")]
    [InlineData("{}", "malformed-request", "$.key")]
    [InlineData("[]", "batch-length", "$")]
    [InlineData("[{\"key\": \"a\"}, {}]", "malformed-request", "$[1].key")]
    [InlineData("{\"key\": 5}", "malformed-request", "$.key")]
    [InlineData("{\"key\": \"\"}", "key-length", "$.key")]
    [InlineData("{\"key\": \"a\", \"key\": \"a\"}", "malformed-request", "$.key")]
    [InlineData("{\"key\": \"a\", \"key_b64\": \"YQ\"}", "malformed-request", "$.key_b64")]
    [InlineData("{\"key_b64\": \"YQ==\"}", "malformed-request", "$.key_b64")]
    [InlineData("{\"key_b64\": \"Y+\"}", "malformed-request", "$.key_b64")]
    [InlineData("{\"key\": \"a\", \"from\": 1}", "malformed-request", "$.from")]
    [InlineData("{\"key\": \"a\", \"known\": 1}", "malformed-request", "$.known")]
    [InlineData("{\"key\": \"a\", \"known\": {}}", "malformed-request", "$.known.period")]
    [InlineData("{\"key\": \"a\", \"known\": {\"period\": 0}}", "malformed-request", "$.known.version")]
    [InlineData("{\"key\": \"a\", \"known\": {\"period\": 0, \"version\": -1}}", "malformed-request", "$.known.version")]
    [InlineData("{\"key\": \"a\", \"known\": {\"period\": 0, \"version\": 1.5}}", "malformed-request", "$.known.version")]
    [InlineData("{\"key\": \"a\", \"known\": {\"period\": 0, \"version\": 9007199254740992}}", "malformed-request", "$.known.version")]
    [InlineData("{\"key\": \"a\", \"more\": 1}", "malformed-request", "$.more")]
    [InlineData("{\"key\": \"a\"} {}", "malformed-request", "$")]
    [InlineData("{\"key\": \"a\", /* b */}", "malformed-request", "$.key")]
    public async Task A_malformed_lookup_is_refused(string body, string type, string field)
    {
        Assert.Equal(field, await _replica.ProblemAsync(Replica.Post("/v1/lookup", body), Type(type)));
    }

    [Theory]
    [InlineData("{\"key\": \"a\", \"known\": {\"period\": 0, \"version\": 1}}", "malformed-request", "$.known")]
    [InlineData("{\"key\": \"a\", \"from\": 0}", "malformed-request", "$.from")]
    [InlineData("{\"key\": \"a\", \"from\": \"1\"}", "malformed-request", "$.from")]
    [InlineData("[]", "batch-length", "$")]
    public async Task A_malformed_history_is_refused(string body, string type, string field)
    {
        Assert.Equal(field, await _replica.ProblemAsync(Replica.Post("/v1/history", body), Type(type), asOwner: true));
        Assert.Equal(field, await _replica.ProblemAsync(Replica.Post("/v1/monitor", body), Type(type), asOwner: true));
    }

    [Fact]
    public async Task Limits_hold_to_the_octet()
    {
        await _replica.OctetsAsync(Replica.Post("/v1/lookup", $$"""{"key": "{{new string('a', 255)}}"}"""));
        Assert.Equal("$.key",
            await _replica.ProblemAsync(Replica.Post("/v1/lookup", $$"""{"key": "{{new string('a', 256)}}"}"""), ProblemTypes.KeyLength));
        // The limit on the key's length counts bytes, not characters.
        Assert.Equal("$.key",
            await _replica.ProblemAsync(Replica.Post("/v1/lookup", $$"""{"key": "{{new string('ä', 128)}}"}"""), ProblemTypes.KeyLength));
        string[] queries = [.. Enumerable.Repeat("""{"key": "a"}""", 257)];
        await _replica.OctetsAsync(Replica.Post("/v1/lookup", $"[{string.Join(',', queries[1..])}]"));
        await _replica.ProblemAsync(Replica.Post("/v1/lookup", $"[{string.Join(',', queries)}]"), ProblemTypes.BatchLength);
        await _replica.ProblemAsync(
            Replica.Post("/v1/lookup", [.. Enumerable.Repeat(new Query("a"u8.ToArray(), 0, 0), 257)]), ProblemTypes.BatchLength);
        await _replica.ProblemAsync(Replica.Post("/v1/lookup", """{"key": "a"}""".PadRight((1024 * 1024) + 1)), ProblemTypes.BodyTooLarge);
        await _replica.OctetsAsync(Replica.Post("/v1/lookup", """{"key": "a"}""".PadRight(1024 * 1024)));
        await _replica.ProblemAsync(Replica.Post("/v1/lookup", new string(' ', 10 * 1024 * 1024)), ProblemTypes.BodyTooLarge);
    }

    [Theory]
    [InlineData("", "malformed-request")]
    [InlineData("000000", "batch-length")]
    [InlineData("00001200000000000000000000000000000000000000", "malformed-request")]
    [InlineData("0000120161000000000000000000000000000000", "malformed-request")]
    [InlineData("000012016100000000000000000000000000000000ff", "malformed-request")]
    public async Task A_malformed_binary_query_is_refused(string body, string type)
    {
        var request = new HttpRequestMessage(HttpMethod.Post, "/v1/lookup") { Content = new ByteArrayContent(Convert.FromHexString(body)) };
        request.Content.Headers.ContentType = new MediaTypeHeaderValue(MediaTypes.Query);
        await _replica.ProblemAsync(request, Type(type));
    }

    [Fact]
    public async Task Binary_history_takes_no_period_and_begins_at_one()
    {
        Assert.Equal("$[0].period",
            await _replica.ProblemAsync(
                Replica.Post("/v1/history", [new Query("a"u8.ToArray(), 1, 1)]), ProblemTypes.MalformedRequest, asOwner: true));
        Assert.Equal("$[0].version",
            await _replica.ProblemAsync(
                Replica.Post("/v1/history", [new Query("a"u8.ToArray(), 0, 0)]), ProblemTypes.MalformedRequest, asOwner: true));
        await _replica.OctetsAsync(Replica.Post("/v1/history", [new Query("a"u8.ToArray(), 0, 1)]), asOwner: true);
    }

    [Theory]
    [InlineData("/v1/lookup", "malformed-request")]
    [InlineData("/v1/lookup?key=", "key-length")]
    [InlineData("/v1/lookup?key=a&key=b", "malformed-request")]
    public async Task A_malformed_get_is_refused(string path, string type)
    {
        Assert.Equal("?key", await _replica.ProblemAsync(Replica.Get(path), Type(type)));
    }

    [Fact]
    public async Task Media_types_and_methods_are_checked()
    {
        using var text = new StringContent("a", Encoding.UTF8, "text/plain");
        await _replica.ProblemAsync(
            new HttpRequestMessage(HttpMethod.Post, "/v1/lookup") { Content = text }, ProblemTypes.UnsupportedMediaType);
        await _replica.ProblemAsync(Replica.Post("/v1/lookup", """{"key": "a"}""", MediaTypes.History), ProblemTypes.NotAcceptable);
        await _replica.ProblemAsync(new HttpRequestMessage(HttpMethod.Delete, "/v1/lookup"), ProblemTypes.MethodNotAllowed);
        await _replica.ProblemAsync(Replica.Get("/v1/history"), ProblemTypes.MethodNotAllowed);
        await _replica.ProblemAsync(Replica.Get("/v1/nothing"), ProblemTypes.NotFound);
    }

    private static ProblemType Type(string name) => ProblemTypes.All.Single(type => type.Name == name);
}
