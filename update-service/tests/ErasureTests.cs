using System.Net.Http.Headers;
using System.Text;
using Optiks.ApiKeys;
using Optiks.Protocol;
using Optiks.Storage;
using Optiks.Tests.Shared;
using Optiks.UpdateService.Tests.Support;

namespace Optiks.UpdateService.Tests;

/// <summary>
/// Tests which requests <c>/v1/erasures</c> accepts and refuses, and the status of accepted requests (docs/spec/erasure.md section 4).
/// </summary>
public sealed class ErasureTests : IAsyncLifetime
{
    private const string Path = "/v1/erasures";
    private const string Good = """{"key":"K","period":0,"from":1,"to":1}""";

    private static readonly Dictionary<string, RefusedBody> s_cases = Cases().ToDictionary(one => one.Name);

    private readonly string _key = ApiKey.Generate();
    private Service? _service;

    public static TheoryData<string> Names => [.. s_cases.Keys];

    private Service Service => _service!;

    public async ValueTask InitializeAsync()
    {
        _service = await Service.StartAsync(prepare: folder => AtomicFile.Write(
            folder.ApiKeys,
            ApiKeyFile.Format(
            [
                new ApiKeyEntry("eraser", ApiKey.Hash(_key), ApiScopes.Erase | ApiScopes.Update),
            ]),
            AtomicFile.PrivateMode));
        Authorize(_key);
    }

    public ValueTask DisposeAsync() => Service.DisposeAsync();

    [Fact]
    public async Task An_erasure_is_followed_to_its_receipt()
    {
        await Service.Log.StartAsync();
        await Service.PostAsync("""{"key":"alice","value":"1"}""");
        await Service.Log.PublishAsync();
        await Service.PostAsync("""{"key":"alice","value":"2"}""");
        await Service.Log.PublishAsync();
        Guid id = Ids.New();
        string body = $$"""{"request_id":"{{id}}","key":"alice","period":0,"from":1,"to":1}""";
        Answer accepted = await PostAsync(body);
        Assert.Equal(202, accepted.Status);
        Assert.Equal($$"""{"request_id":"{{id}}","status":"pending","status_url":"/v1/erasures/{{id}}"}""", accepted.Json.GetRawText());
        Assert.Equal($"/v1/erasures/{id}", accepted.Headers.Location?.OriginalString);
        (int item, int structure, byte[] key, byte[] value) = Assert.Single(Service.Database.PendingItems());
        Assert.Equal((0, (int)StructureId.Decommissioned, "alice"), (item, structure, Encoding.UTF8.GetString(key)));
        Assert.Equal(new ErasureOrder(StructureId.Keys, 1, 1) { Period = 0 }.ToItem(key).Value.ToArray(), value);
        Assert.Equal($$"""{"request_id":"{{id}}","status":"pending"}""", (await Service.GetAsync($"{Path}/{id}")).Json.GetRawText());
        // The test sends the same request again, and then a different request under the same id.
        Assert.Equal(202, (await PostAsync(body)).Status);
        (await PostAsync(body.Replace("\"to\":1", "\"to\":2", StringComparison.Ordinal))).IsProblem(
            "request-id-reused", 409, "$.request_id");

        Service.Log.Erasing = request => [new Erasure(1, 0, new LeafOrigin(request.RequestId, 0))];
        await Service.Log.PublishAsync();
        Answer erased = await Service.GetAsync($"{Path}/{id}?wait=1");
        Assert.Equal(
            $$"""{"request_id":"{{id}}","status":"erased","epoch":3,"erased":[{"structure":"keys","period":0,"version":1,"epoch":1}]}""",
            erased.Json.GetRawText());
        Assert.True(erased.Headers.CacheControl?.NoStore);
        // The endpoint `/v1/updates` must not find an erasure, and the endpoint for erasures must not find an update.
        (await Service.GetAsync($"/v1/updates/{id}")).IsProblem("not-found", 404, null);
        string update = (await Service.PostAsync("""{"key":"alice","value":"3"}""")).Text("request_id")!;
        await Service.Log.PublishAsync();
        Assert.Equal("published", (await Service.GetAsync($"/v1/updates/{update}")).Text("status"));
        (await Service.GetAsync($"{Path}/{update}")).IsProblem("not-found", 404, null);
    }

    [Theory]
    [InlineData(RefusalReason.LatestVersion, ""","reason":"latest-version","current":{"period":0,"version":7}""")]
    [InlineData(RefusalReason.OtherPeriod, ""","reason":"other-period","current":{"period":0,"version":7}""")]
    [InlineData(RefusalReason.UserNotLeft, ""","reason":"user-not-left""" + "\"")]
    [InlineData(RefusalReason.NothingLeft, ""","reason":"nothing-left""" + "\"")]
    [InlineData(RefusalReason.ErasedWithUser, ""","reason":"erased-with-user""" + "\"")]
    [InlineData(RefusalReason.ErasureLimit, ""","reason":"erasure-limit""" + "\"")]
    public async Task A_refused_erasure_says_why(RefusalReason reason, string told)
    {
        await Service.Log.StartAsync();
        Service.Log.Refusing = _ => new Refusal(reason, 0, new ExpectedVersion(0, 7));
        string id = (await PostAsync("""{"user":"user 1"}""")).Text("request_id")!;
        await Service.Log.PublishAsync();
        Assert.Equal($$"""{"request_id":"{{id}}","status":"refused"{{told}}}""",
            (await Service.GetAsync($"{Path}/{id}")).Json.GetRawText());
        (await Service.GetAsync($"/v1/updates/{id}")).IsProblem("not-found", 404, null);
    }

    [Theory]
    [MemberData(nameof(Names))]
    public async Task A_malformed_body_changes_nothing(string name)
    {
        RefusedBody one = s_cases[name];
        string before = Service.Database.Contents();
        Answer refused = await Service.PostAsync(one.Bad(), one.ContentType, path: Path);
        refused.IsProblem(one.Type, one.Type == "range-too-large" ? 422 : one.Status, one.Field);
        Assert.Equal(before, Service.Database.Contents());
        Assert.Equal(202, (await Service.PostAsync(one.Control(Good), path: Path)).Status);
        Assert.NotEqual(before, Service.Database.Contents());
    }

    [Fact]
    public async Task It_needs_its_own_scope()
    {
        string updateAlone = ApiKey.Generate();
        AtomicFile.Write(
            Service.Data.ApiKeys,
            ApiKeyFile.Format([new ApiKeyEntry("writer", ApiKey.Hash(updateAlone), ApiScopes.Update),
                new ApiKeyEntry("eraser", ApiKey.Hash(_key), ApiScopes.Erase)]),
            AtomicFile.PrivateMode);
        Authorize(updateAlone);
        await Eventually.IsAsync(async () => (await Service.PostAsync("""{"key":"alice","value":"1"}""")).Status == 202);
        (await PostAsync("""{"key":"alice","period":0,"from":1,"to":1}""")).IsProblem("forbidden", 403, null);
        (await Service.GetAsync($"{Path}/{Ids.New()}")).IsProblem("forbidden", 403, null);
        Service.Client.DefaultRequestHeaders.Authorization = null;
        (await PostAsync("""{"key":"alice","period":0,"from":1,"to":1}""")).IsProblem("unauthorized", 401, null);
        Authorize(_key);
        Assert.Equal(202, (await PostAsync("""{"key":"alice","period":0,"from":1,"to":1}""")).Status);
        (await Service.PostAsync("""{"key":"alice","value":"1"}""")).IsProblem("forbidden", 403, null);
    }

    private static IEnumerable<RefusedBody> Cases() =>
    [
        new("nothing", "{}", "malformed-request", "$.key"),
        new("both", """{"key":"K","user":"K","period":0,"from":1,"to":1}""", "malformed-request", "$.key"),
        new("both forms", """{"key":"K","key_b64":"YQ","period":0,"from":1,"to":1}""", "malformed-request", "$.key_b64"),
        new("no first", """{"key":"K","period":0,"to":1}""", "malformed-request", "$.from"),
        new("no last", """{"user":"K","period":0,"from":1}""", "malformed-request", "$.to", """{"user":"K","period":0,"from":1,"to":1}"""),
        new("a key whole", """{"key":"K"}""", "malformed-request", "$.from", """{"user":"K"}"""),
        new("no period", """{"key":"K","from":1,"to":1}""", "malformed-request", "$.period"),
        new("a period without versions", """{"user":"K","period":0}""", "malformed-request", "$.period", """{"user":"K"}"""),
        new("a period below 0", """{"key":"K","period":-1,"from":1,"to":1}""", "malformed-request", "$.period"),
        new("version 0", """{"key":"K","period":0,"from":0,"to":1}""", "malformed-request", "$.from"),
        new("backwards", """{"key":"K","period":0,"from":3,"to":2}""", "malformed-request", "$.to",
            """{"key":"K","period":0,"from":2,"to":2}"""),
        new("too many", """{"key":"K","period":0,"from":1,"to":1025}""", "range-too-large", "$.to",
            """{"key":"K","period":0,"from":1,"to":1024}"""),
        new("an empty key", """{"key":"","period":0,"from":1,"to":1}""", "key-length", "$.key"),
        new("a value", """{"key":"K","period":0,"from":1,"to":1,"value":"v"}""", "malformed-request", "$.value"),
        new("an empty list", "[]", "batch-length", "$", """[{"key":"K","period":0,"from":1,"to":1}]"""),
        new("one of a list", """[{"key":"K","period":0,"from":1,"to":1},{"user_b64":"!","period":0,"from":1,"to":1}]""",
            "malformed-request", "$[1].user_b64", """[{"key":"K","period":0,"from":1,"to":1},{"user_b64":"YQ"}]"""),
        new("a text as version", """{"key":"K","period":0,"from":"1","to":1}""", "malformed-request", "$.from"),
        new("old id", """{"request_id":"OLD","key":"K","period":0,"from":1,"to":1}""", "request-id-time", "$.request_id",
            """{"request_id":"ALMOST_O","key":"K","period":0,"from":1,"to":1}"""),
    ];

    private Task<Answer> PostAsync(string json) => Service.PostAsync(Encoding.UTF8.GetBytes(json), path: Path);

    private void Authorize(string credential) =>
        Service.Client.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", credential);
}
