using System.Net.Http.Headers;
using System.Text;
using System.Text.Json.Nodes;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Optiks.Tests.Shared;
using Optiks.UpdateService.Tests.Support;

namespace Optiks.UpdateService.Tests;

/// <summary>
/// Tests what callers with tokens may write and read (docs/spec/rest.md section 3). A refused request changes nothing, and the same request
/// with the right token is accepted.
/// </summary>
public sealed class TokenTests : IDisposable
{
    private const string Body = """{"key":"alice","value":"v"}""";

    private readonly AccountSystem _accounts = AccountSystem.OfEd25519("signer-1");
    private readonly AccountSystem _other = AccountSystem.OfP256("signer-2");
    private readonly TemporaryFolder _folder = new();

    private string KeysFile => Path.Combine(_folder.Path, "token-keys.json");

    public void Dispose()
    {
        _other.Dispose();
        _folder.Dispose();
    }

    [Fact]
    public async Task A_token_writes_its_own_keys()
    {
        await using Service service = await StartAsync();
        Authorize(service, _accounts.Token(Claims("update", "alice", "alice/phone")));
        Assert.Equal(202, (await service.PostAsync(Body)).Status);
        Assert.Equal(
            202,
            (await service.PostAsync(
                """[{"items":[{"key":"alice","value":"1"},{"key_b64":"YWxpY2UvcGhvbmU","value":"2"}]},{"key":"alice","value":"3"}]"""))
                .Status);
        Assert.Equal(4, service.Database.Pending().Count);
        Authorize(service, _other.Token(Claims("history update", "bob")));
        Assert.Equal(202, (await service.PostAsync("""{"key":"bob","value":"v"}""")).Status);
    }

    [Theory]
    [InlineData("""{"key":"bob","value":"v"}""", "$.key")]
    [InlineData("""{"value":"v","key_b64":"Ym9i"}""", "$.key_b64")]
    [InlineData("""[{"key":"alice","value":"v"},{"key":"bob","value":"v"}]""", "$[1].key")]
    [InlineData("""{"items":[{"key":"alice","value":"v"},{"key":"bob","value":"v"}]}""", "$.items[1].key")]
    [InlineData(
        """[{"key":"alice","value":"v"},{"items":[{"key":"alice","value":"v"},{"key_b64":"Ym9i","value":"v"}]},{"key":"carol","value":"v"}]""", "$[1].items[1].key_b64")]
    // In this case the key only looks similar to an allowed key.
    [InlineData("""{"key":"alice ","value":"v"}""", "$.key")]
    [InlineData("""{"key":"Alice","value":"v"}""", "$.key")]
    [InlineData("""{"key":"alice\u0000","value":"v"}""", "$.key")]
    public async Task Another_users_item_is_refused_by_its_place(string body, string field)
    {
        await using Service service = await StartAsync();
        Authorize(service, _accounts.Token(Claims("update", "alice")));
        string before = service.Database.Contents();
        (await service.PostAsync(body)).IsProblem("forbidden", 403, field);
        Assert.Equal(before, service.Database.Contents());
        Authorize(service, _accounts.Token(Claims("update", "alice", "bob", "carol", "alice ", "Alice", "alice\0")));
        Assert.Equal(202, (await service.PostAsync(body)).Status);
    }

    [Fact]
    public async Task A_token_that_is_refused_says_why_and_changes_nothing()
    {
        await using Service service = await StartAsync();
        string good = _accounts.Token(Claims("update", "alice"));
        string before = service.Database.Contents();
        long now = TimeProvider.System.GetUtcNow().ToUnixTimeSeconds();
        using var stranger = AccountSystem.OfP256("signer-2");
        (string Reason, string Token)[] refused =
        [
            ("token-expired", _accounts.Token(Changed("exp", now - 120, "iat", now - 600))),
            ("token-not-yet-valid", _accounts.Token(Changed("nbf", now + 300, "iat", now))),
            ("token-lifetime", _accounts.Token(Changed("exp", now + 86_400, "iat", now))),
            ("token-audience", _accounts.Token(Changed("aud", "other.example.org", "iat", now))),
            ("token-claims", _accounts.Token(Changed("exp", "tomorrow", "iat", now))),
            ("token-signature", stranger.Token(Claims("update", "alice"))),
            ("token-key", _accounts.Token("""{"alg":"EdDSA","kid":"signer-3"}""", Claims("update", "alice").ToJsonString())),
            ("token-header", _accounts.Token("""{"alg":"EdDSA","kid":"../token-keys.json"}""", Claims("update", "alice").ToJsonString())),
            ("token-header",
                _accounts.Token("""{"alg":"EdDSA","kid":"signer-1","crit":["exp"]}""", Claims("update", "alice").ToJsonString())),
            ("token-algorithm", _accounts.Token("""{"alg":"HS256","kid":"signer-1"}""", Claims("update", "alice").ToJsonString())),
            ("token-algorithm",
                AccountSystem.SigningInput("""{"alg":"none","kid":"signer-1"}""", Claims("update", "alice").ToJsonString()) + ".AA"),
            ("token-malformed",
                AccountSystem.SigningInput("""{"alg":"none","kid":"signer-1"}""", Claims("update", "alice").ToJsonString()) + "."),
            ("token-malformed", "nonsense"),
            ("token-malformed", new string('a', 12_000)),
        ];
        foreach ((string reason, string token) in refused)
        {
            Authorize(service, token);
            Answer answer = await service.PostAsync(Body);
            answer.IsProblem("unauthorized", 401, null);
            Assert.Equal(reason, answer.Text("reason"));
            Assert.Equal("Bearer error=\"invalid_token\"", answer.Headers.WwwAuthenticate.ToString());
            Assert.DoesNotContain(token, answer.Json.GetRawText(), StringComparison.Ordinal);
            // The service refuses the request before it reads the body, so the malformed body makes no difference.
            (await service.PostAsync("nonsense")).IsProblem("unauthorized", 401, null);
            (await service.GetAsync($"/v1/updates/{Guid.CreateVersion7()}")).IsProblem("unauthorized", 401, null);
        }
        Assert.Equal(before, service.Database.Contents());
        Authorize(service, good);
        Assert.Equal(202, (await service.PostAsync(Body)).Status);

        JsonObject Changed(string claim, JsonNode value, string second, JsonNode secondValue)
        {
            JsonObject claims = Claims("update", "alice");
            claims[second] = secondValue;
            claims[claim] = value;
            return claims;
        }
    }

    [Fact]
    public async Task A_token_without_the_scope_or_without_keys_writes_nothing()
    {
        await using Service service = await StartAsync();
        string before = service.Database.Contents();
        Authorize(service, _accounts.Token(Claims("history lookup snapshot", "alice")));
        Answer lacking = await service.PostAsync(Body);
        lacking.IsProblem("forbidden", 403, null);
        Assert.Null(lacking.Text("reason"));
        Assert.Equal("Bearer error=\"insufficient_scope\", scope=\"update\"", lacking.Headers.WwwAuthenticate.ToString());
        JsonObject user = Claims("update");
        user["user"] = "alice";
        Authorize(service, _accounts.Token(user));
        (await service.PostAsync(Body)).IsProblem("forbidden", 403, "$.key");
        Assert.Equal(before, service.Database.Contents());
    }

    [Fact]
    public async Task A_signing_key_is_revoked_and_added_while_the_service_runs()
    {
        await using Service service = await StartAsync();
        string token = _accounts.Token(Claims("update", "alice"));
        Authorize(service, token);
        Assert.Equal(202, (await service.PostAsync(Body)).Status);
        string before = service.Database.Contents();

        // A broken file of token keys does not change any rights. The health report mentions it, but the service stays ready.
        await File.WriteAllTextAsync(KeysFile, "{", TestContext.Current.CancellationToken);
        await Eventually.IsAsync(
            async () => (await service.GetAsync("/health/ready")).Json.GetRawText()
                .Contains("token key file is missing or invalid", StringComparison.Ordinal));
        Assert.Equal(200, (await service.GetAsync("/health/ready")).Status);
        Assert.Equal(200, (await service.GetAsync($"/v1/updates/{(await service.PostAsync(Body)).Text("request_id")}")).Status);
        before = service.Database.Contents();

        Write(_other);
        Answer? refused = null;
        await Eventually.IsAsync(async () => (refused = await service.PostAsync("""{"key":"bob","value":"v"}""")).Status == 401);
        Assert.Equal("token-key", refused!.Text("reason"));
        Assert.Equal(before, service.Database.Contents());
        Assert.DoesNotContain("invalid",
            (await service.GetAsync("/health/ready")).Json.GetProperty("checks").GetProperty("token-keys").GetRawText(),
            StringComparison.Ordinal);

        Write(_other, _accounts);
        await Eventually.IsAsync(async () => (await service.PostAsync(Body)).Status == 202);
    }

    [Fact]
    public async Task The_status_of_a_request_is_its_owners()
    {
        await using Service service = await StartAsync();
        await service.Log.StartAsync();
        AuthenticationHeaderValue backend = service.Client.DefaultRequestHeaders.Authorization!;
        string path =
            (await service.PostAsync("""{"items":[{"key":"alice","value":"1"},{"key":"bob","value":"2"}]}""")).Text("status_url")!;
        await service.Log.PublishAsync();
        Authorize(service, _accounts.Token(Claims("update", "alice")));
        Answer refused = await service.GetAsync(path);
        refused.IsProblem("forbidden", 403, "{request_id}");
        Assert.Contains("Item 1", refused.Text("detail"), StringComparison.Ordinal);
        Assert.DoesNotContain("Ym9i", refused.Json.GetRawText(), StringComparison.Ordinal);
        Authorize(service, _accounts.Token(Claims("update", "bob", "alice")));
        Assert.Equal("published", (await service.GetAsync(path)).Text("status"));
        service.Client.DefaultRequestHeaders.Authorization = backend;
        Assert.Equal("published", (await service.GetAsync(path)).Text("status"));
    }

    [Fact]
    public async Task Rates_count_by_subject_and_strangers_by_address()
    {
        await using Service service =
            await StartAsync(("Optiks:RateLimits:Updates:PerSecond", "0.01"), ("Optiks:RateLimits:Updates:Burst", "2"));
        JsonObject first = Claims("update", "alice");
        first["sub"] = "user 1";
        JsonObject again = Claims("update", "alice");
        (again["sub"], again["jti"]) = ("user 1", "another token");
        JsonObject second = Claims("update", "alice");
        // If a token's subject equals the name of an API key, the two are still different callers.
        second["sub"] = "writer";
        Assert.Equal([202, 202, 429], await StatusesAsync(service, _accounts.Token(first), _accounts.Token(again), _accounts.Token(first)));
        Assert.Equal([202, 202, 429],
            await StatusesAsync(service, _accounts.Token(second), _accounts.Token(second), _accounts.Token(second)));
        using var stranger = AccountSystem.OfP256("signer-2");
        Assert.Equal([401, 401, 429, 429],
            await StatusesAsync(service, stranger.Token(first), "nonsense", stranger.Token(second), stranger.Token(first)));
    }

    [Fact]
    public async Task Without_a_file_of_keys_no_token_is_taken()
    {
        await using Service service = await Service.StartAsync();
        AuthenticationHeaderValue backend = service.Client.DefaultRequestHeaders.Authorization!;
        Authorize(service, _accounts.Token(Claims("update", "alice")));
        Answer answer = await service.PostAsync(Body);
        answer.IsProblem("unauthorized", 401, null);
        Assert.Null(answer.Text("reason"));
        service.Client.DefaultRequestHeaders.Authorization = backend;
        Assert.Equal(202, (await service.PostAsync(Body)).Status);
    }

    [Fact]
    public async Task The_endpoints_ask_for_what_the_specification_says()
    {
        await using Service service = await StartAsync();
        Assert.Equal(5, AccessTable.Check(service.Services.GetRequiredService<EndpointDataSource>().Endpoints.Cast<RouteEndpoint>()));
    }

    private static JsonObject Claims(string scope, params IEnumerable<string> keys) =>
        AccountSystem.Claims(TimeProvider.System.GetUtcNow(), scope, keys);

    private static void Authorize(Service service, string token) =>
        service.Client.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", token);

    private static async Task<List<int>> StatusesAsync(Service service, params string[] tokens)
    {
        var statuses = new List<int>();
        foreach (string token in tokens)
        {
            Authorize(service, token);
            statuses.Add((await service.PostAsync(Body)).Status);
        }
        return statuses;
    }

    private Task<Service> StartAsync(params (string Name, string Value)[] settings)
    {
        var all = settings.ToDictionary(setting => setting.Name, setting => (string?)setting.Value);
        all["Optiks:Tokens:Audience"] = AccountSystem.Audience;
        all["Optiks:Tokens:KeysFile"] = KeysFile;
        Write(_accounts, _other);
        return Service.StartAsync(all);
    }

    private void Write(params AccountSystem[] systems) =>
        AtomicFile.Write(KeysFile, Encoding.UTF8.GetBytes(AccountSystem.KeySet(systems)), AtomicFile.PublicMode);
}
