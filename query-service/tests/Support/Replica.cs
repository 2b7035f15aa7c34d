using System.Net;
using System.Net.Http.Headers;
using System.Text;
using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Tests;

/// <summary>Runs a query-service, to which the tests send requests over HTTP.</summary>
internal sealed class Replica : IAsyncDisposable
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);

    private readonly WebApplication _app;

    private Replica(WebApplication app, TestLog log, ShiftedTime clock)
    {
        _app = app;
        Log = log;
        Clock = clock;
        Client = new HttpClient { BaseAddress = new Uri(app.Urls.Single()) };
    }

    public HttpClient Client { get; }

    public IServiceProvider Services => _app.Services;

    public TestLog Log { get; }

    public ShiftedTime Clock { get; }

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    /// <summary>Starts a replica on a port that the system chooses, without waiting until it is ready.</summary>
    public static Task<Replica> StartAsync(TestLog log, string name = "a", params string[] settings) =>
        StartAsync(log, name, _ => { }, settings);

    /// <summary>Starts a replica, after the test has changed its application.</summary>
    public static Task<Replica> StartAsync(TestLog log, string name, Action<WebApplication> change, params string[] settings) =>
        StartAsync(log, name, _ => { }, change, settings);

    /// <summary>Starts a replica, after the test has changed its services and its application.</summary>
    public static async Task<Replica> StartAsync(
        TestLog log, string name, Action<IServiceCollection> configure, Action<WebApplication> change, params string[] settings)
    {
        var clock = new ShiftedTime();
        WebApplication app = QueryServiceHost.Build(
            ["--urls", "http://127.0.0.1:0", $"--{DataFolder.Variable}", log.Folder.Root, "--Optiks:QueryService:Replica", name,
                "--Optiks:QueryService:DrainTime", "00:00:00", .. settings],
            services =>
            {
                services.AddLogging(logging => logging.ClearProviders());
                services.AddSingleton<TimeProvider>(clock);
                configure(services);
            });
        try
        {
            change(app);
            await app.StartAsync(Cancellation);
        }
        catch
        {
            await app.DisposeAsync();
            throw;
        }
        return new Replica(app, log, clock);
    }

    /// <summary>Starts a replica, and waits until it serves the log's newest epoch.</summary>
    public static async Task<Replica> StartReadyAsync(TestLog log, string name = "a", params string[] settings)
    {
        Replica replica = await StartAsync(log, name, settings);
        await replica.WaitForEpochAsync((ulong)log.Records.Count - 1);
        return replica;
    }

    public static HttpRequestMessage Post(string path, string json, string? accept = null) =>
        WithAccept(
            new HttpRequestMessage(HttpMethod.Post, path) { Content = new StringContent(json, Encoding.UTF8, "application/json") }, accept);

    public static HttpRequestMessage Post(string path, IReadOnlyCollection<Query> queries, string? accept = null)
    {
        var request = new HttpRequestMessage(HttpMethod.Post, path) { Content = new ByteArrayContent(QueryList.Encode(queries)) };
        request.Content.Headers.ContentType = new MediaTypeHeaderValue(MediaTypes.Query);
        return WithAccept(request, accept);
    }

    public static HttpRequestMessage Get(string path, string? accept = null) =>
        WithAccept(new HttpRequestMessage(HttpMethod.Get, path), accept);

    public async Task WaitForEpochAsync(ulong epoch, string more = "") =>
        await WaitAsync(async () =>
        {
            (HttpStatusCode status, string body) = await ReadinessAsync();
            return status == HttpStatusCode.OK && body.Contains($"Serving epoch {epoch}.{more}", StringComparison.Ordinal);
        });

    /// <summary>Waits until the replica's answer about its readiness contains a text.</summary>
    public async Task WaitForTroubleAsync(string text) =>
        await WaitAsync(async () =>
        {
            (HttpStatusCode status, string body) = await ReadinessAsync();
            return status == HttpStatusCode.ServiceUnavailable && body.Contains(text, StringComparison.Ordinal);
        });

    public async Task<(HttpStatusCode Status, string Body)> ReadinessAsync()
    {
        using HttpResponseMessage response = await Client.GetAsync(new Uri("/health/ready", UriKind.Relative), Cancellation);
        return (response.StatusCode, await response.Content.ReadAsStringAsync(Cancellation));
    }

    /// <summary>Waits until a condition on the replica is true.</summary>
    public Task WaitAsync(Func<bool> condition) => WaitAsync(() => Task.FromResult(condition()));

    /// <summary>Waits until a condition on the replica is true.</summary>
    public async Task WaitAsync(Func<Task<bool>> condition)
    {
        long start = TimeProvider.System.GetTimestamp();
        while (!await condition())
        {
            Assert.True(TimeProvider.System.GetElapsedTime(start) < s_patience, (await ReadinessAsync()).Body);
            await Task.Delay(20, Cancellation);
        }
    }

    /// <summary>Asks for the replica's snapshot with the given API key, as another replica would.</summary>
    public async Task<HttpResponseMessage> SnapshotAsync(
        string? key, HttpCompletionOption completion = HttpCompletionOption.ResponseContentRead)
    {
        using HttpRequestMessage request = Get("/internal/snapshot");
        request.Headers.Authorization = key is null ? null : new AuthenticationHeaderValue("Bearer", key);
        return await Client.SendAsync(request, completion, Cancellation);
    }

    /// <summary>
    /// Sends a request. If <paramref name="asOwner"/> is true, the request has the API key with the scope <c>history</c>, as an owner's
    /// request has.
    /// </summary>
    public Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, bool asOwner = false)
    {
        if (asOwner)
        {
            request.Headers.Authorization = new AuthenticationHeaderValue("Bearer", Log.HistoryKey);
        }
        return Client.SendAsync(request, Cancellation);
    }

    /// <summary>Sends a request that the replica must answer, and returns the answer's bytes.</summary>
    public async Task<byte[]> OctetsAsync(HttpRequestMessage request, bool asOwner = false)
    {
        using HttpResponseMessage response = await SendAsync(request, asOwner);
        byte[] body = await response.Content.ReadAsByteArrayAsync(Cancellation);
        Assert.True(response.IsSuccessStatusCode, Encoding.UTF8.GetString(body));
        return body;
    }

    public async Task<JsonElement> JsonAsync(HttpRequestMessage request, bool asOwner = false)
    {
        using var document = JsonDocument.Parse(await OctetsAsync(request, asOwner));
        return document.RootElement.Clone();
    }

    /// <summary>Sends a request that the replica must refuse with a problem of the given type, and returns the field that the problem
    /// names.</summary>
    public async Task<string?> ProblemAsync(HttpRequestMessage request, ProblemType type, bool asOwner = false)
    {
        using HttpResponseMessage response = await SendAsync(request, asOwner);
        string body = await response.Content.ReadAsStringAsync(Cancellation);
        Assert.True(type.Status == (int)response.StatusCode, body);
        Assert.Equal("application/problem+json", response.Content.Headers.ContentType?.MediaType);
        Assert.True(response.Headers.CacheControl?.NoStore);
        Assert.Null(response.Headers.ETag);
        Assert.Equal(type.Status is 429 or 503, response.Headers.RetryAfter is not null);
        using var document = JsonDocument.Parse(body);
        Assert.Equal(type.Urn, document.RootElement.GetProperty("type").GetString());
        return document.RootElement.TryGetProperty("field", out JsonElement field) ? field.GetString() : null;
    }

    /// <summary>Returns the context of a verifier that has kept nothing from earlier answers.</summary>
    public VerifierContext Context() => new() { Anchor = Log.Anchor, NowMs = (ulong)Clock.GetUtcNow().ToUnixTimeMilliseconds() };

    /// <summary>Stops the service in the same way as a signal.</summary>
    public Task StopAsync() => _app.StopAsync(CancellationToken.None);

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        await StopAsync();
        await _app.DisposeAsync();
    }

    private static HttpRequestMessage WithAccept(HttpRequestMessage request, string? accept)
    {
        if (accept is not null)
        {
            request.Headers.TryAddWithoutValidation("Accept", accept);
        }
        return request;
    }
}
