using System.Net;
using System.Net.Http.Headers;
using System.Text;
using System.Text.Json;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.QueryService.Telemetry;
using Optiks.ServiceDefaults;
using Optiks.Storage;
using Optiks.Tests.Shared;

namespace Optiks.QueryService.Tests;

/// <summary>
/// Tests what callers with tokens may read (docs/spec/rest.md section 3). For each refusal, a test also sends the same request with the
/// right token, which must be accepted.
/// </summary>
public sealed class TokenTests : IAsyncLifetime
{
    private readonly AccountSystem _accounts = AccountSystem.OfP256("signer-1");
    private TestLog? _log;

    private TestLog Log => _log!;

    private string KeysFile => Path.Combine(Log.Folder.Root, "token-keys.json");

    public async ValueTask InitializeAsync()
    {
        _log = await TestLog.CreateAsync();
        await _log.PublishAsync(("alice", "old"), ("bob", "bob's secret past"));
        await _log.PublishAsync(("alice", "new"), ("bob", "b"));
        Write(_accounts);
    }

    public async ValueTask DisposeAsync()
    {
        _accounts.Dispose();
        await Log.DisposeAsync();
    }

    /// <summary>
    /// Tests a key that got another owner when the next period began. With the new owner's token, nobody may read the key's values of the
    /// ended period.
    /// </summary>
    [Theory]
    [InlineData("/v1/history")]
    [InlineData("/v1/monitor")]
    public async Task A_token_reads_of_an_ended_period_what_goes_on_in_the_next(string path)
    {
        await using Replica replica = await StartAsync();
        await Log.BeginNextAsync();
        await Log.StageAsync("alice");
        EpochRow switched = await Log.SwitchAsync();
        string token = Token("history", "alice", "bob", "nobody");
        foreach (ulong epoch in (ulong[])[switched.Epoch, switched.Epoch + 1])
        {
            await replica.WaitForEpochAsync(epoch);
            string own = await BodyAsync(
                replica, Replica.Post($"{path}?period=0", """[{"key":"alice"},{"key":"nobody"}]"""), token, HttpStatusCode.OK);
            Assert.Contains("new", own, StringComparison.Ordinal);
            foreach ((Func<HttpRequestMessage> request, string field) in ((Func<HttpRequestMessage>, string)[])
            [
                (() => Replica.Post($"{path}?period=0", """{"key":"bob"}"""), "$"),
                (() => Replica.Post($"{path}?period=0", """[{"key":"alice"},{"key":"bob"}]"""), "$[1]"),
            ])
            {
                JsonElement refused = await ProblemAsync(replica, request(), token, ProblemTypes.Forbidden);
                Assert.Equal(field, refused.GetProperty("field").GetString());
                Assert.Contains("bob's secret past", Encoding.UTF8.GetString(await replica.OctetsAsync(request(), asOwner: true)),
                    StringComparison.Ordinal);
            }
            // In the next round, the new owner has set the key, and the service must still refuse the token.
            await Log.PublishAsync(("bob", "another's"));
        }
        await BodyAsync(replica, Replica.Post(path, """{"key":"bob"}"""), token, HttpStatusCode.OK);
    }

    /// <summary>
    /// Damages the files of period 1, and then asks about period 0. That request also reads the files of period 1, so the replica finds the
    /// damage. It must make the files of period 1 again.
    /// </summary>
    [Fact]
    public async Task Damage_in_a_later_period_is_mended_in_that_period()
    {
        await using Replica replica = await StartAsync();
        await Log.BeginNextAsync();
        await Log.StageAsync("alice");
        await replica.WaitForEpochAsync((await Log.SwitchAsync()).Epoch);
        string token = Token("history", "alice");
        HttpRequestMessage Ask() => Replica.Post("/v1/history?period=0", """{"key":"alice"}""");
        await BodyAsync(replica, Ask(), token, HttpStatusCode.OK);
        string folder = Path.Combine(Log.Folder.Replicas, "a");
        await FileDamage.FlipAsync(
            Directory.GetFiles(folder, "leaves", SearchOption.AllDirectories).Single(path => Path.GetDirectoryName(path) != folder),
            "new"u8.ToArray());
        await ProblemAsync(replica, Ask(), token, ProblemTypes.Unavailable);
        await replica.WaitAsync(async () => (await replica.SendAsync(WithToken(Ask(), token))).IsSuccessStatusCode);
    }

    [Theory]
    [InlineData("/v1/history")]
    [InlineData("/v1/monitor")]
    public async Task A_token_reads_the_past_of_its_own_keys(string path)
    {
        await using Replica replica = await StartAsync();
        string token = Token("history", "alice", "nobody");
        JsonElement answer = JsonSerializer.Deserialize<JsonElement>(
            await BodyAsync(replica, Replica.Post(path, """[{"key":"alice"},{"key":"nobody"}]"""), token, HttpStatusCode.OK));
        Assert.Equal([2, 0], answer.GetProperty("versions").EnumerateArray().Select(key => key.GetProperty("members").GetArrayLength()));
        await BodyAsync(replica, Replica.Post(path, [new Query("alice"u8.ToArray(), 0, 1)]), token, HttpStatusCode.OK);

        string both = Token("history", "alice", "bob");
        foreach ((Func<HttpRequestMessage> request, string field) in ((Func<HttpRequestMessage>, string)[])
        [
            (() => Replica.Post(path, """{"key":"bob"}"""), "$.key"),
            (() => Replica.Post(path, """[{"key":"alice"},{"from":1,"key_b64":"Ym9i"}]"""), "$[1].key_b64"),
            (() => Replica.Post(path,
                [new Query("alice"u8.ToArray(), 0, 1), new Query("alice"u8.ToArray(), 0, 2), new Query("bob"u8.ToArray(), 0, 1)]),
                "$[2].key"),
        ])
        {
            JsonElement refused = await ProblemAsync(replica, request(), token, ProblemTypes.Forbidden);
            Assert.Equal(field, refused.GetProperty("field").GetString());
            Assert.Contains("bob's secret past", Encoding.UTF8.GetString(await OctetsAsync(replica, request(), both)),
                StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task A_token_that_is_refused_reads_nothing_and_says_why()
    {
        await using Replica replica = await StartAsync();
        DateTimeOffset now = replica.Clock.GetUtcNow();
        using var stranger = AccountSystem.OfP256("signer-1");
        (string Reason, string Token)[] refused =
        [
            ("token-expired", _accounts.Token(AccountSystem.Claims(now.AddHours(-1), "history", "alice"))),
            ("token-not-yet-valid", _accounts.Token(AccountSystem.Claims(now.AddMinutes(5), "history", "alice"))),
            ("token-signature", stranger.Token(AccountSystem.Claims(now, "history", "alice"))),
            ("token-algorithm",
                AccountSystem.SigningInput(
                    """{"alg":"none","kid":"signer-1"}""", AccountSystem.Claims(now, "history", "alice").ToJsonString()) + ".AA"),
        ];
        foreach ((string reason, string token) in refused)
        {
            foreach (string path in (string[])["/v1/history", "/v1/monitor"])
            {
                JsonElement problem = await ProblemAsync(
                    replica, Replica.Post(path, """{"key":"alice"}"""), token, ProblemTypes.Unauthorized);
                Assert.Equal(reason, problem.GetProperty("reason").GetString());
            }
            // Endpoints that need no token must ignore a token.
            await BodyAsync(replica, Replica.Post("/v1/lookup", """{"key":"alice"}"""), token, HttpStatusCode.OK);
        }
        string good = Token("history", "alice");
        await BodyAsync(replica, Replica.Post("/v1/history", """{"key":"alice"}"""), good, HttpStatusCode.OK);
        // Only the service's own clock decides whether a token has expired.
        replica.Clock.Ahead = TimeSpan.FromMinutes(12);
        Assert.Equal("token-expired",
            (await ProblemAsync(replica, Replica.Post("/v1/history", """{"key":"alice"}"""), good, ProblemTypes.Unauthorized)).GetProperty(
                "reason").GetString());
    }

    [Fact]
    public async Task Lookups_need_a_scope_only_where_they_are_closed()
    {
        await using Replica open = await StartAsync();
        await using Replica closed = await StartAsync("closed", "--Optiks:QueryService:RequireLookupScope", "true");
        (string lookup, string history) = (Token("lookup"), Token("history update", "bob"));
        foreach (Func<HttpRequestMessage> request in (Func<HttpRequestMessage>[])[() => Replica.Post("/v1/lookup", """{"key":"bob"}"""),
            () => Replica.Get("/v1/lookup?key=bob")])
        {
            await BodyAsync(open, request(), history, HttpStatusCode.OK);
            await BodyAsync(open, request(), null, HttpStatusCode.OK);
            await BodyAsync(closed, request(), lookup, HttpStatusCode.OK);
            await ProblemAsync(closed, request(), history, ProblemTypes.Forbidden);
            await ProblemAsync(closed, request(), null, ProblemTypes.Unauthorized);
        }
        // A token that may look up keys must not give access to old values.
        await ProblemAsync(closed, Replica.Post("/v1/history", """{"key":"bob"}"""), lookup, ProblemTypes.Forbidden);
        Assert.Equal(4, AccessTable.Check(Endpoints(open)));
        Assert.Equal(7, AccessTable.Check(Endpoints(closed)));
    }

    [Fact]
    public async Task No_token_reads_a_snapshot()
    {
        await using Replica replica = await StartAsync();
        using HttpResponseMessage refused = await replica.SnapshotAsync(Token("snapshot history update lookup", "alice"));
        Assert.Equal(HttpStatusCode.Forbidden, refused.StatusCode);
        using HttpResponseMessage answered = await replica.SnapshotAsync(Log.SnapshotKey);
        Assert.NotEqual(HttpStatusCode.Forbidden, answered.StatusCode);
    }

    [Fact]
    public async Task A_revoked_key_takes_its_tokens_along_while_the_service_runs()
    {
        await using Replica replica = await StartAsync();
        string token = Token("history", "alice");
        await BodyAsync(replica, Replica.Post("/v1/history", """{"key":"alice"}"""), token, HttpStatusCode.OK);
        using var next = AccountSystem.OfP256("signer-2");
        Write(next);
        HttpStatusCode status;
        do
        {
            using HttpRequestMessage request = WithToken(Replica.Post("/v1/history", """{"key":"alice"}"""), token);
            using HttpResponseMessage response = await replica.SendAsync(request);
            status = response.StatusCode;
        }
        while (status == HttpStatusCode.OK);
        Assert.Equal("token-key",
            (await ProblemAsync(replica, Replica.Post("/v1/history", """{"key":"alice"}"""), token, ProblemTypes.Unauthorized)).GetProperty(
                "reason").GetString());
        await BodyAsync(replica, Replica.Post("/v1/history", """{"key":"alice"}"""),
            next.Token(AccountSystem.Claims(replica.Clock.GetUtcNow(), "history", "alice")), HttpStatusCode.OK);
    }

    /// <summary>
    /// Tests that a replica that hides the cache from anonymous callers also hides it from callers with tokens. So callers with tokens
    /// cannot find out which keys other callers asked about (docs/spec/privacy.md).
    /// </summary>
    [Fact]
    public async Task A_token_shows_no_more_of_the_cache_than_none()
    {
        await using Replica replica = await StartAsync("hides", "--Optiks:QueryService:HideCacheFromAnonymous", "true");
        async Task<bool> SeesAsync(string credential)
        {
            DirectoryStats before = replica.Services.GetRequiredService<QueryMetrics>().Directory!()!.Value;
            await BodyAsync(replica, Replica.Post("/v1/lookup", """{"key":"bob"}"""), credential, HttpStatusCode.OK);
            return replica.Services.GetRequiredService<QueryMetrics>().Directory!()!.Value.VrfCacheHits > before.VrfCacheHits;
        }
        Assert.False(await SeesAsync(Log.HistoryKey));
        Assert.True(await SeesAsync(Log.HistoryKey));
        Assert.False(await SeesAsync(Token("lookup history", "bob")));
    }

    [Fact]
    public async Task What_is_open_and_not_counted_looks_at_no_token()
    {
        await using Replica replica = await StartAsync();
        using var stranger = AccountSystem.OfP256("signer-1");
        string token = stranger.Token(AccountSystem.Claims(replica.Clock.GetUtcNow(), "history", "alice"));
        int refused = 0;
        using var listener = new System.Diagnostics.Metrics.MeterListener();
        listener.InstrumentPublished = (instrument, self) =>
        {
            if (instrument.Name == "optiks.service.tokens.refused"
                && instrument.Meter.Scope == replica.Services.GetRequiredService<System.Diagnostics.Metrics.IMeterFactory>())
            {
                self.EnableMeasurementEvents(instrument);
            }
        };
        listener.SetMeasurementEventCallback<long>((_, count, tags, _) =>
        {
            Assert.Equal("token-signature", tags[0].Value);
            Interlocked.Add(ref refused, (int)count);
        });
        listener.Start();
        foreach (string path in (string[])["/v1/epochs/latest", "/v1/configuration", "/log/checkpoint", "/health/ready",
            "/openapi/v1.json"])
        {
            await BodyAsync(replica, Replica.Get(path), token, HttpStatusCode.OK);
        }
        Assert.Equal(0, refused);
        await BodyAsync(replica, Replica.Get("/v1/epochs/1"), token, HttpStatusCode.OK);
        Assert.Equal(1, refused);
    }

    private static IEnumerable<RouteEndpoint> Endpoints(Replica replica) =>
        replica.Services.GetRequiredService<EndpointDataSource>().Endpoints.Cast<RouteEndpoint>();

    private static HttpRequestMessage WithToken(HttpRequestMessage request, string? token)
    {
        request.Headers.Authorization = token is null ? null : new AuthenticationHeaderValue("Bearer", token);
        return request;
    }

    private static async Task<string> BodyAsync(Replica replica, HttpRequestMessage request, string? token, HttpStatusCode expected)
    {
        using HttpRequestMessage sent = WithToken(request, token);
        using HttpResponseMessage response = await replica.SendAsync(sent);
        string body = await response.Content.ReadAsStringAsync(TestContext.Current.CancellationToken);
        Assert.True(expected == response.StatusCode, body);
        return body;
    }

    // Returns an answer in the binary form, which contains the values unencoded.
    private static async Task<byte[]> OctetsAsync(Replica replica, HttpRequestMessage request, string token)
    {
        using HttpRequestMessage sent = WithToken(request, token);
        sent.Headers.Accept.Add(
            new MediaTypeWithQualityHeaderValue(
                sent.RequestUri!.ToString().EndsWith("history", StringComparison.Ordinal) ? MediaTypes.History : MediaTypes.Monitor));
        using HttpResponseMessage response = await replica.SendAsync(sent);
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        return await response.Content.ReadAsByteArrayAsync(TestContext.Current.CancellationToken);
    }

    private static async Task<JsonElement> ProblemAsync(Replica replica, HttpRequestMessage request, string? token, ProblemType type)
    {
        string body = await BodyAsync(replica, request, token, (HttpStatusCode)type.Status);
        JsonElement problem = JsonSerializer.Deserialize<JsonElement>(body);
        Assert.Equal(type.Urn, problem.GetProperty("type").GetString());
        Assert.DoesNotContain("past", body, StringComparison.Ordinal);
        Assert.True(token is null || !body.Contains(token, StringComparison.Ordinal));
        return problem;
    }

    private string Token(string scope, params IEnumerable<string> keys) =>
        _accounts.Token(AccountSystem.Claims(TimeProvider.System.GetUtcNow(), scope, keys));

    private void Write(AccountSystem system) =>
        AtomicFile.Write(KeysFile, Encoding.UTF8.GetBytes(AccountSystem.KeySet(system)), AtomicFile.PublicMode);

    private Task<Replica> StartAsync(string name = "a", params string[] settings) =>
        Replica.StartReadyAsync(Log, name,
            ["--Optiks:Tokens:KeysFile", KeysFile, "--Optiks:Tokens:Audience", AccountSystem.Audience, .. settings]);
}
