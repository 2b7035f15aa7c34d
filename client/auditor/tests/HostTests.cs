using System.Net;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Secrets;
using Optiks.Tlog;

namespace Optiks.Auditor.Tests;

public sealed class HostTests
{
    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task What_was_signed_is_served_with_its_coverage()
    {
        await using AuditorFixture auditor = await AuditorFixture.StartAsync(5);
        await using Running running = await Running.StartAsync(auditor);
        string id = Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes("test.example/log")));
        await running.UntilAsync(() => running.View.Signed is not null);

        (HttpStatusCode status, string note, string type) = await running.GetAsync($"/{id}/checkpoint");

        Assert.Equal((HttpStatusCode.OK, "text/plain; charset=utf-8"), (status, type));
        var verifier = new CheckpointVerifier(FixtureLog.Anchor.LogKey, [auditor.Key], Ed25519.Verifier);
        Assert.True(verifier.TryOpen(Encoding.UTF8.GetBytes(note), out SignedCheckpoint? opened, out _));
        Assert.Equal(6UL, opened.Checkpoint.Size);
        JsonElement coverage = await running.JsonAsync($"/{id}/coverage");
        JsonElement signed = coverage.GetProperty("signed");
        EpochRecord record = EpochRecord.Decode(auditor.Fixture.Log.Record(5));
        Assert.Equal(("test.example/log", auditor.Key.ToString(), 0UL),
            (coverage.GetProperty("origin").GetString(), coverage.GetProperty("auditor").GetString(),
                coverage.GetProperty("first_epoch").GetUInt64()));
        Assert.Equal((5UL, 6UL, record.TimeMs, 0UL), (
            signed.GetProperty("epoch").GetUInt64(), signed.GetProperty("size").GetUInt64(), signed.GetProperty("time_ms").GetUInt64(),
            signed.GetProperty("period").GetUInt64()));
        Assert.Equal(opened.Checkpoint.Root.ToString(), signed.GetProperty("root").GetString());
        Assert.Equal(Base64UrlText.Encode(auditor.Fixture.Log.Record(5)), signed.GetProperty("record").GetString());
        Assert.Equal(Base64UrlText.Encode(record.Structures[2].VrfPublicKey.Span),
            signed.GetProperty("vrf_keys").GetProperty("keys").GetString());
        Assert.Equal((JsonValueKind.Null, "following"),
            (coverage.GetProperty("finding").ValueKind, coverage.GetProperty("condition").GetString()));
        Assert.Contains("epochs 0 to 5: every step was verified", (await running.GetAsync($"/{id}/")).Body, StringComparison.Ordinal);
        Assert.Contains($"<a href=\"/{id}/\">test.example/log</a>", (await running.GetAsync("/")).Body, StringComparison.Ordinal);
        Assert.Equal(HttpStatusCode.OK, (await running.GetAsync("/health/ready")).Status);

        auditor.Fixture.Publish(("late", "x"));
        await running.UntilAsync(() => running.View.Signed is { Epoch: 6 });
        Assert.Equal(6UL, (await running.JsonAsync($"/{id}/coverage")).GetProperty("signed").GetProperty("epoch").GetUInt64());
    }

    [Theory]
    [InlineData("/0000000000000000000000000000000000000000000000000000000000000000/checkpoint", 404, "not-found")]
    [InlineData("/test.example/coverage", 404, "not-found")]
    [InlineData("/..%2f..%2fetc/coverage", 400, "malformed-request")]
    [InlineData("/{id}/nothing", 404, "not-found")]
    [InlineData("/{id}/coverage?epoch=1", 400, "malformed-request")]
    [InlineData("/{id}/coverage", 200, "")]
    public async Task Anything_else_is_refused(string path, int status, string problem)
    {
        await using AuditorFixture auditor = await AuditorFixture.StartAsync(1);
        await using Running running = await Running.StartAsync(auditor);
        (HttpStatusCode answered, string body, string type) =
            await running.GetAsync(path.Replace("{id}", auditor.Log.Id, StringComparison.Ordinal));
        Assert.Equal(status, (int)answered);
        if (status != 200)
        {
            Assert.Equal("application/problem+json", type);
            Assert.Contains(problem, body, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task Nothing_is_served_as_signed_before_it_is()
    {
        await using AuditorFixture auditor = await AuditorFixture.StartAsync(1);
        auditor.Fixture.Server.Refuse = _ => (503, "unavailable");
        await using Running running = await Running.StartAsync(auditor);
        await running.UntilAsync(() => running.View.Condition == LogCondition.Unreachable);
        Assert.Equal(HttpStatusCode.NotFound, (await running.GetAsync($"/{auditor.Log.Id}/checkpoint")).Status);
        Assert.Equal(JsonValueKind.Null, (await running.JsonAsync($"/{auditor.Log.Id}/coverage")).GetProperty("signed").ValueKind);
        (HttpStatusCode status, string body, _) = await running.GetAsync("/health/ready");
        Assert.Equal(HttpStatusCode.ServiceUnavailable, status);
        Assert.Contains("test.example/log: No server of the log gave an answer.", body, StringComparison.Ordinal);
        Assert.DoesNotContain("127.0.0.1", (await running.GetAsync("/")).Body, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_finding_is_told_until_it_was_taken_and_shown_from_then_on()
    {
        await using AuditorFixture auditor = await AuditorFixture.StartAsync(3);
        await using Webhook hook = await Webhook.StartAsync(refusals: 2);
        await auditor.LookAsync();
        auditor.Fixture.Log.PublishRecord(honest => honest with { Previous = new byte[32] });
        auditor.Fixture.Clock.UtcNow = auditor.Fixture.Log.Now;
        await using (Running running = await Running.StartAsync(auditor, hook.Url))
        {
            await running.UntilAsync(() => running.View.Finding is { IsAlerted: true });
            Assert.Equal(3, hook.Told.Count);
            JsonElement told = JsonDocument.Parse(hook.Told[^1]).RootElement;
            Assert.Equal(
                "test.example/log: The log signed a record of epoch 4 that breaks a rule: record_previous. Nothing more is signed.",
                told.GetProperty("text").GetString());
            Assert.True(Directory.Exists(told.GetProperty("evidence").GetString()));
            Assert.Contains("breaks a rule: record_previous", (await running.GetAsync($"/{auditor.Log.Id}/")).Body,
                StringComparison.Ordinal);
            JsonElement finding = (await running.JsonAsync($"/{auditor.Log.Id}/coverage")).GetProperty("finding");
            Assert.Equal(("record_previous", 3UL, 4UL, true), (
                finding.GetProperty("reason").GetString(), finding.GetProperty("from").GetUInt64(), finding.GetProperty("to").GetUInt64(),
                finding.GetProperty("proven").GetBoolean()));
            (HttpStatusCode status, string body, _) = await running.GetAsync("/health/ready");
            Assert.Equal(HttpStatusCode.ServiceUnavailable, status);
            Assert.Contains("record_previous", body, StringComparison.Ordinal);
            // The auditor still serves the statement that it signed before it had the finding.
            Assert.Equal(HttpStatusCode.OK, (await running.GetAsync($"/{auditor.Log.Id}/checkpoint")).Status);
        }
        await using Running again = await Running.StartAsync(auditor, hook.Url);
        await Task.Delay(200, Cancellation);
        Assert.Equal(3, hook.Told.Count);
        Assert.Equal("stopped", (await again.JsonAsync($"/{auditor.Log.Id}/coverage")).GetProperty("condition").GetString());
    }

    [Fact]
    public async Task What_a_server_says_is_text_on_the_page()
    {
        await using AuditorFixture auditor = await AuditorFixture.StartAsync(1);
        LogView view = await auditor.LookAsync();
        string html = EvidencePage.Render(
            view with { Condition = LogCondition.Behind, Description = "<script>alert(1)</script>\u202e&\"", Warning = "<img src=x>" });
        Assert.DoesNotContain("<script", html, StringComparison.Ordinal);
        Assert.DoesNotContain("<img", html, StringComparison.Ordinal);
        Assert.DoesNotContain("\u202e", html, StringComparison.Ordinal);
        Assert.Contains("&lt;script&gt;", html, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_log_s_own_key_and_a_log_twice_are_refused()
    {
        await using AuditorFixture auditor = await AuditorFixture.StartAsync(1);
        AuditorSettings twice = auditor.Settings with { Logs = [auditor.Log, auditor.Log] };
        NoteSigner key = CosignerKeyFile.Open(auditor.KeyFile);
        StartupException refused =
            await Assert.ThrowsAsync<StartupException>(
                () => AuditedLogs.OpenAsync(twice, key, new HttpClient(), TimeProvider.System, Cancellation));
        Assert.Contains("named twice", refused.Message, StringComparison.Ordinal);
    }

    /// <summary>Runs the auditor of a test fixture as a daemon in this process.</summary>
    private sealed class Running : IAsyncDisposable
    {
        private readonly WebApplication _app;
        private readonly AuditedLogs _logs;
        private readonly HttpClient _http = new();

        private Running(WebApplication app, AuditedLogs logs) => (_app, _logs) = (app, logs);

        public LogView View => _logs.Views.Single();

        public static async Task<Running> StartAsync(AuditorFixture auditor, Uri? webhook = null)
        {
            AuditorSettings settings = auditor.Settings with { Webhook = webhook };
            var http = new HttpClient();
            AuditedLogs logs = await AuditedLogs.OpenAsync(
                settings, CosignerKeyFile.Open(auditor.KeyFile), http, auditor.Fixture.Clock, Cancellation);
            WebApplication app = AuditorHost.Build(settings, logs, http, auditor.Fixture.Clock);
            await app.StartAsync(Cancellation);
            return new Running(app, logs);
        }

        public async Task<(HttpStatusCode Status, string Body, string Type)> GetAsync(string path)
        {
            using HttpResponseMessage response = await _http.GetAsync(new Uri(_app.Urls.Single() + path), Cancellation);
            return (response.StatusCode, await response.Content.ReadAsStringAsync(Cancellation),
                response.Content.Headers.ContentType?.ToString() ?? "");
        }

        public async Task<JsonElement> JsonAsync(string path) => JsonDocument.Parse((await GetAsync(path)).Body).RootElement;

        public async Task UntilAsync(Func<bool> reached)
        {
            for (int i = 0; !reached(); i++)
            {
                Assert.True(i < 3000, View.ToString());
                await Task.Delay(20, Cancellation);
            }
        }

        public async ValueTask DisposeAsync()
        {
            await _app.StopAsync(CancellationToken.None);
            await _app.DisposeAsync();
            _logs.Dispose();
            _http.Dispose();
        }
    }

    private sealed class Webhook : IAsyncDisposable
    {
        private readonly WebApplication _app;
        private int _refusals;

        private Webhook(int refusals)
        {
            _refusals = refusals;
            WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
            builder.Logging.ClearProviders();
            _app = builder.Build();
            _app.Urls.Add("http://127.0.0.1:0");
            _app.Run(async context =>
            {
                using var reader = new StreamReader(context.Request.Body);
                Told.Add(await reader.ReadToEndAsync());
                context.Response.StatusCode = _refusals-- > 0 ? StatusCodes.Status500InternalServerError : StatusCodes.Status204NoContent;
            });
        }

        public List<string> Told { get; } = [];

        public Uri Url => new(_app.Urls.Single());

        public static async Task<Webhook> StartAsync(int refusals)
        {
            var hook = new Webhook(refusals);
            await hook._app.StartAsync();
            return hook;
        }

        public async ValueTask DisposeAsync() => await _app.DisposeAsync();
    }
}
