using System.Net;
using System.Net.Http.Headers;
using System.Net.Sockets;
using System.Text;
using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Options;
using Optiks.ApiKeys;
using Optiks.Secrets;
using Optiks.ServiceDefaults;
using Optiks.Settings;

namespace Optiks.Common.Tests;

/// <summary>Tests over HTTP a host that has the defaults of all services and a few endpoints.</summary>
public sealed class HostTests : IAsyncLifetime
{
    private const int MaxBodyLength = 1000;

    private readonly TemporaryFolder _folder = new();
    private readonly string _key = ApiKey.Generate();
    private WebApplication? _app;
    private HttpClient? _client;
    private bool _ready = true;

    private HttpClient Client => _client!;

    public async ValueTask InitializeAsync()
    {
        AtomicFile.Write(_folder.Data.ApiKeys, ApiKeyFile.Format([new ApiKeyEntry("alice", ApiKey.Hash(_key), ApiScopes.Update)]),
            AtomicFile.PrivateMode);
        WebApplicationBuilder builder = WebApplication.CreateBuilder();
        builder.Configuration.AddInMemoryCollection(new Dictionary<string, string?> { [DataFolder.Variable] = _folder.Path });
        builder.AddOptiksDefaults(Options("http://127.0.0.1:0"));
        builder.Services.AddHealthChecks().AddCheck(
            "work", () => _ready ? HealthCheckResult.Healthy() : HealthCheckResult.Unhealthy("The database cannot be reached."));
        _app = builder.Build();
        _app.UseOptiksDefaults();
        _app.MapGet("/open", (HttpRequest request) => AcceptHeader.Choose(request, "application/json", "application/vnd.optiks.lookup"));
        _app.MapPost("/echo", async (HttpRequest request, CancellationToken cancellation) =>
        {
            RequestBody.MediaType(request, "application/json");
            return Parse(await RequestBody.ReadAsync(request, MaxBodyLength, cancellation));
        });
        _app.MapPost("/write", () => "written").Require(Access.Update);
        _app.MapGet("/read", () => "history").Require(Access.History);
        _app.MapGet("/fail", string () => throw new InvalidOperationException("the secret internals"));
        _app.MapGet("/busy", () => new Problem(ProblemTypes.Overloaded, "The queue is full.", null, TimeSpan.FromMilliseconds(1200)));
        await _app.StartAsync();
        _client = new HttpClient { BaseAddress = new Uri(_app.Urls.Single()) };
    }

    public async ValueTask DisposeAsync()
    {
        _client?.Dispose();
        if (_app is not null)
        {
            await _app.DisposeAsync();
        }
        _folder.Dispose();
    }

    [Theory]
    [InlineData("GET", "/missing", "not-found")]
    [InlineData("DELETE", "/open", "method-not-allowed")]
    [InlineData("GET", "/fail", "internal")]
    [InlineData("GET", "/busy", "overloaded")]
    [InlineData("POST", "/write", "unauthorized")]
    [InlineData("GET", "/read", "unauthorized")]
    public async Task Every_error_is_a_problem(string method, string path, string type)
    {
        using var request = new HttpRequestMessage(new HttpMethod(method), path);
        await CheckProblemAsync(request, ProblemTypes.All.Single(known => known.Name == type));
    }

    [Fact]
    public async Task Unexpected_exceptions_show_no_internals()
    {
        using HttpResponseMessage response =
            await Client.GetAsync(new Uri("/fail", UriKind.Relative), TestContext.Current.CancellationToken);
        Assert.DoesNotContain("internals", await response.Content.ReadAsStringAsync(TestContext.Current.CancellationToken),
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task Retry_after_is_rounded_up()
    {
        using HttpResponseMessage response =
            await Client.GetAsync(new Uri("/busy", UriKind.Relative), TestContext.Current.CancellationToken);
        Assert.Equal(TimeSpan.FromSeconds(2), response.Headers.RetryAfter?.Delta);
    }

    [Theory]
    [InlineData(null, HttpStatusCode.Unauthorized)]
    [InlineData("Bearer KEY", HttpStatusCode.OK)]
    [InlineData("bearer KEY", HttpStatusCode.OK)]
    [InlineData("Basic KEY", HttpStatusCode.Unauthorized)]
    [InlineData("KEY", HttpStatusCode.Unauthorized)]
    [InlineData("Bearer KEYx", HttpStatusCode.Unauthorized)]
    [InlineData("Bearer ", HttpStatusCode.Unauthorized)]
    public async Task A_scope_needs_a_key(string? header, HttpStatusCode expected)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, "/write");
        if (header is not null)
        {
            request.Headers.TryAddWithoutValidation("Authorization", header.Replace("KEY", _key, StringComparison.Ordinal));
        }
        using HttpResponseMessage response = await Client.SendAsync(request, TestContext.Current.CancellationToken);
        Assert.Equal(expected, response.StatusCode);
        Assert.Equal(expected == HttpStatusCode.Unauthorized, response.Headers.WwwAuthenticate.Count > 0);
    }

    [Fact]
    public async Task A_key_without_the_scope_is_forbidden()
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, "/read");
        request.Headers.Authorization = new AuthenticationHeaderValue("Bearer", _key);
        JsonElement problem = await CheckProblemAsync(request, ProblemTypes.Forbidden);
        Assert.Contains("history", problem.GetProperty("detail").GetString(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(null, "application/json")]
    [InlineData("*/*", "application/json")]
    [InlineData("application/*", "application/json")]
    [InlineData("application/vnd.optiks.lookup", "application/vnd.optiks.lookup")]
    [InlineData("application/json;q=0.5, application/vnd.optiks.lookup", "application/vnd.optiks.lookup")]
    [InlineData("*/*, application/json;q=0", "application/vnd.optiks.lookup")]
    [InlineData("text/html, */*;q=0.1", "application/json")]
    [InlineData("application/json; charset=utf-8", "application/json")]
    [InlineData("Application/Vnd.Optiks.Lookup;charset=UTF-8", "application/vnd.optiks.lookup")]
    [InlineData("application/json; charset=utf-16", null)]
    [InlineData("text/html", null)]
    [InlineData("application/json;q=0", null)]
    [InlineData("nonsense", null)]
    public async Task The_media_type_is_negotiated(string? accept, string? chosen)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, "/open");
        if (accept is not null)
        {
            request.Headers.TryAddWithoutValidation("Accept", accept);
        }
        if (chosen is null)
        {
            await CheckProblemAsync(request, ProblemTypes.NotAcceptable);
            return;
        }
        using HttpResponseMessage response = await Client.SendAsync(request, TestContext.Current.CancellationToken);
        Assert.Equal(chosen, await response.Content.ReadAsStringAsync(TestContext.Current.CancellationToken));
    }

    [Theory]
    [InlineData("application/json", HttpStatusCode.OK)]
    [InlineData("application/json; charset=utf-8", HttpStatusCode.OK)]
    [InlineData("application/json; charset=utf-16", HttpStatusCode.UnsupportedMediaType)]
    [InlineData("text/plain", HttpStatusCode.UnsupportedMediaType)]
    [InlineData(null, HttpStatusCode.UnsupportedMediaType)]
    public async Task The_content_type_is_checked(string? type, HttpStatusCode expected)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, "/echo") { Content = new ByteArrayContent("""{"n": 5}"""u8.ToArray()) };
        if (type is not null)
        {
            request.Content.Headers.TryAddWithoutValidation("Content-Type", type);
        }
        using HttpResponseMessage response = await Client.SendAsync(request, TestContext.Current.CancellationToken);
        Assert.Equal(expected, response.StatusCode);
    }

    [Fact]
    public async Task A_refused_field_is_named()
    {
        using HttpRequestMessage request = Post("""{"n": -5}""");
        JsonElement problem = await CheckProblemAsync(request, ProblemTypes.MalformedRequest);
        Assert.Equal("$.n", problem.GetProperty("field").GetString());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_body_beyond_the_limit_is_refused(bool chunked)
    {
        string fits = """{"n": 5}""".PadRight(MaxBodyLength);
        using HttpRequestMessage accepted = Post(fits);
        accepted.Headers.TransferEncodingChunked = chunked;
        using HttpResponseMessage response = await Client.SendAsync(accepted, TestContext.Current.CancellationToken);
        Assert.Equal("5", await response.Content.ReadAsStringAsync(TestContext.Current.CancellationToken));

        // The first body exceeds only the endpoint's limit. The second body also exceeds Kestrel's own limit.
        foreach (int length in (int[])[MaxBodyLength + 1, 20 * MaxBodyLength])
        {
            using HttpRequestMessage tooLong = Post(fits.PadRight(length));
            tooLong.Headers.TransferEncodingChunked = chunked;
            await CheckProblemAsync(tooLong, ProblemTypes.BodyTooLarge);
        }
    }

    [Fact]
    public async Task Health_says_live_always_and_ready_only_when_it_is()
    {
        Assert.Equal(HttpStatusCode.OK, await StatusAsync("/health/live"));
        Assert.Equal(HttpStatusCode.OK, await StatusAsync("/health/ready"));
        _ready = false;
        Assert.Equal(HttpStatusCode.OK, await StatusAsync("/health/live"));
        using HttpResponseMessage response =
            await Client.GetAsync(new Uri("/health/ready", UriKind.Relative), TestContext.Current.CancellationToken);
        Assert.Equal(HttpStatusCode.ServiceUnavailable, response.StatusCode);
        Assert.Contains("The database cannot be reached.", await response.Content.ReadAsStringAsync(TestContext.Current.CancellationToken),
            StringComparison.Ordinal);
    }

    [Fact]
    public void Problem_types_are_those_of_the_specification()
    {
        var specified = File.ReadLines(Path.Combine(AppContext.BaseDirectory, "spec", "rest.md"))
            .Select(line => System.Text.RegularExpressions.Regex.Match(line, @"^\| `([a-z-]+)` \| (\d{3}) \|"))
            .Where(match => match.Success)
            .Select(match => $"{match.Groups[1]} {match.Groups[2]}");
        Assert.Equal(specified, ProblemTypes.All.Select(type => FormattableString.Invariant($"{type.Name} {type.Status}")));
    }

    [Fact]
    public async Task What_an_operator_can_mend_ends_in_one_sentence_and_a_code()
    {
        Assert.Equal((78, "optiks: no key\n"), await RunAsync(() => throw new SecretsException("no key")));
        Assert.Equal((4, "optiks: older copy\n"), await RunAsync(() => throw new StartupException(ExitCodes.Rollback, "older\ncopy")));
        Assert.Equal((78, "optiks: a; b\n"), await RunAsync(() => throw new OptionsValidationException("o", typeof(string), ["a", "b"])));
        Assert.Equal((3, "optiks: gone\n"),
            await RunAsync(() => throw new TimeoutException("gone"), e => e is TimeoutException ? 3 : null));
        Assert.Equal((0, ""), await RunAsync(() => Task.CompletedTask));
        await Assert.ThrowsAsync<InvalidOperationException>(() => RunAsync(() => throw new InvalidOperationException("a bug")));
    }

    [Fact]
    public async Task A_port_in_use_is_a_matter_of_configuration()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        (int code, string error) = await RunAsync(async () =>
        {
            WebApplicationBuilder builder = WebApplication.CreateBuilder();
            builder.Configuration.AddInMemoryCollection(new Dictionary<string, string?> { [DataFolder.Variable] = _folder.Path });
            builder.AddOptiksDefaults(Options($"http://{listener.LocalEndpoint}"));
            await using WebApplication app = builder.Build();
            await app.StartAsync();
        });
        Assert.Equal(78, code);
        Assert.Contains("already in use", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_host_with_telemetry_starts_and_stops_without_a_collector()
    {
        WebApplicationBuilder builder = WebApplication.CreateBuilder();
        builder.Configuration.AddInMemoryCollection(new Dictionary<string, string?>
        {
            [DataFolder.Variable] = _folder.Path,
            ["OTEL_EXPORTER_OTLP_ENDPOINT"] = "http://127.0.0.1:1",
            ["OTEL_EXPORTER_OTLP_TIMEOUT"] = "100",
        });
        builder.AddOptiksDefaults(Options("http://127.0.0.1:0"));
        await using WebApplication app = builder.Build();
        app.UseOptiksDefaults();
        await app.StartAsync(TestContext.Current.CancellationToken);
        Assert.NotNull(app.Services.GetService<OpenTelemetry.Metrics.MeterProvider>());
        Assert.NotNull(app.Services.GetService<OpenTelemetry.Trace.TracerProvider>());
        Assert.Null(_app!.Services.GetService<OpenTelemetry.Metrics.MeterProvider>());
        await app.StopAsync(TestContext.Current.CancellationToken);
    }

    [Theory]
    [InlineData("Optiks:Work:Patience", "3", null)]
    [InlineData("optiks:work:PATIENCE", "3", null)]
    [InlineData("Optiks:Work:Inner:Depth", "3", null)]
    [InlineData("Optiks:Work:Names:0", "a", null)]
    [InlineData("Optiks:RateLimits:Lookups:PerSecond", "5", null)]
    // This setting belongs to another host, so this host does not refuse it.
    [InlineData("Optiks:Log:Origin", "example", null)]
    [InlineData("Optiks:Work:Patiense", "3",
        "Unknown settings: Optiks:Work:Patiense is not a setting; the nearest is Optiks:Work:Patience.")]
    [InlineData("Optiks:Work:Amount", "3",
        "Unknown settings: Optiks:Work:Amount is not a setting; Optiks:Work has Inner, Interval, IsHard, Names, Patience, Share.")]
    [InlineData("Optiks:Work:Proxies:0", "a",
        "Unknown settings: Optiks:Work:Proxies is not a setting; the nearest is Optiks:RateLimits:Proxies.")]
    [InlineData("Optiks:Work:Names", "a",
        "Unknown settings: Optiks:Work:Names is a list, whose elements are Optiks:Work:Names:0, Optiks:Work:Names:1 and so on.")]
    [InlineData("Optiks:Work:Inner:Deep", "3", "Unknown settings: Optiks:Work:Inner:Deep is not a setting; Optiks:Work:Inner has Depth.")]
    [InlineData("Optiks:RateLimits:Lookup:PerSecond", "5",
        "Unknown settings: Optiks:RateLimits:Lookup is not a setting; the nearest is Optiks:RateLimits:Lookups.")]
    [InlineData("Optiks:Wrok:Patience", "3", "Unknown settings: Optiks:Wrok is not a section; the nearest is Optiks:Work.")]
    [InlineData("Optiks:UpdatTask:Patience", "3", "Unknown settings: Optiks:UpdatTask is not a section; the nearest is Optiks:UpdateTask.")]
    [InlineData("Optiks:Leisure:Patience", "3",
        "Unknown settings: Optiks:Leisure is not a section; there are ApiReference, Board, Bucket, Cors, Kek, Log, LogKey, Metrics, Padding, Periods, QueryService, RateLimits, Storage, Tls, Tokens, UpdateService, UpdateTask, Witnesses.")]
    [InlineData("Optiks:Work:Share", "0.5", null)]
    [InlineData("Optiks:Work:Share", "half", "Wrong settings: Optiks:Work:Share is not a number such as 0.5.")]
    [InlineData("Optiks:Work:Interval", "00:00:03", null)]
    [InlineData("Optiks:Work:Interval", "3s",
        "Wrong settings: Optiks:Work:Interval is not a time in days, hours, minutes and seconds, such as 00:00:10 or 1.00:00:00.")]
    [InlineData("Optiks:Work:IsHard", "TRUE", null)]
    [InlineData("Optiks:Work:IsHard", "yes", "Wrong settings: Optiks:Work:IsHard is not true or false.")]
    [InlineData("Optiks:Work:Patience", "three",
        "Wrong settings: Optiks:Work:Patience is not a whole number from -2147483648 to 2147483647.")]
    [InlineData("Optiks:Work:Patience", "2147483648",
        "Wrong settings: Optiks:Work:Patience is not a whole number from -2147483648 to 2147483647.")]
    [InlineData("Optiks:Work:Inner:Depth", "",
        "Wrong settings: Optiks:Work:Inner:Depth is not a whole number from -9223372036854775808 to 9223372036854775807.")]
    public async Task A_setting_that_nobody_reads_or_that_is_not_of_its_type_is_refused(string key, string value, string? refusal)
    {
        IConfiguration configuration =
            new ConfigurationBuilder().AddInMemoryCollection(new Dictionary<string, string?> { [key] = value }).Build();
        (int code, string error) = await RunAsync(() =>
        {
            SettingsCheck.ThrowIfAny(
                configuration,
                new Dictionary<string, Type>
                {
                    ["Optiks:Work"] = typeof(WorkOptions),
                    [RateLimitOptions.Section] = typeof(RateLimitOptions),
                });
            return Task.CompletedTask;
        });
        Assert.Equal(refusal is null ? (0, "") : (78, $"optiks: {refusal}\n"), (code, error));
    }

    [Fact]
    public async Task Hosts_refuse_settings_that_nobody_reads()
    {
        (int code, string error) = await RunAsync(() =>
        {
            WebApplicationBuilder builder = WebApplication.CreateBuilder(["--Optiks:RateLimits:Proxy=10.0.0.0/8"]);
            builder.AddOptiksDefaults(Options("http://127.0.0.1:0"));
            return Task.CompletedTask;
        });
        Assert.Equal(78, code);
        Assert.Contains("Optiks:RateLimits:Proxy is not a setting", error, StringComparison.Ordinal);
    }

    private static OptiksServiceOptions Options(string url) =>
        new() { Name = "test", DefaultUrl = url, Settings = new Dictionary<string, Type>(), MaxRequestBodyLength = MaxBodyLength };

    private static async Task<(int Code, string Error)> RunAsync(Func<Task> main, Func<Exception, int?>? classify = null)
    {
        var error = new StringWriter();
        return (await Startup.RunAsync(main, classify, error), error.ToString());
    }

    private static string Parse(byte[] body)
    {
        var reader = new StrictJsonReader(body);
        reader.StartObject(new JsonMembers("n"));
        ulong number = 0;
        while (reader.TryNextMember(out _))
        {
            number = reader.ReadInteger();
        }
        reader.End();
        return FormattableString.Invariant($"{number}");
    }

    private static HttpRequestMessage Post(string json) =>
        new(HttpMethod.Post, "/echo") { Content = new StringContent(json, Encoding.UTF8, "application/json") };

    private async Task<HttpStatusCode> StatusAsync(string path)
    {
        using HttpResponseMessage response = await Client.GetAsync(new Uri(path, UriKind.Relative), TestContext.Current.CancellationToken);
        return response.StatusCode;
    }

    private async Task<JsonElement> CheckProblemAsync(HttpRequestMessage request, ProblemType type)
    {
        using HttpResponseMessage response = await Client.SendAsync(request, TestContext.Current.CancellationToken);
        Assert.Equal("application/problem+json", response.Content.Headers.ContentType?.MediaType);
        Assert.True(response.Headers.CacheControl?.NoStore);
        string body = await response.Content.ReadAsStringAsync(TestContext.Current.CancellationToken);
        using var document = JsonDocument.Parse(body);
        JsonElement problem = document.RootElement.Clone();
        Assert.Equal(type.Urn, problem.GetProperty("type").GetString());
        Assert.Equal(type.Status, problem.GetProperty("status").GetInt32());
        Assert.Equal(type.Status, (int)response.StatusCode);
        Assert.Equal(type.Title, problem.GetProperty("title").GetString());
        Assert.NotEmpty(problem.GetProperty("detail").GetString()!);
        Assert.NotEmpty(problem.GetProperty("trace_id").GetString()!);
        return problem;
    }

    private sealed class WorkOptions
    {
        public int Patience { get; set; }

        public string[] Names { get; set; } = [];

        public double Share { get; set; }

        public TimeSpan Interval { get; set; }

        public bool IsHard { get; set; }

        public InnerOptions Inner { get; set; } = new();
    }

    private sealed class InnerOptions
    {
        public long Depth { get; set; }
    }
}
