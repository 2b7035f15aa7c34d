using System.Diagnostics.Metrics;
using System.Net.Http.Headers;
using System.Text;
using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Optiks.ApiKeys;
using Optiks.Storage;
using Optiks.Storage.Sqlite;

namespace Optiks.UpdateService.Tests.Support;

/// <summary>Runs the service's real host on a free port, with a migrated SQLite database of its own, and sends it requests over
/// HTTP.</summary>
internal sealed class Service : IAsyncDisposable
{
    private readonly TemporaryFolder _folder;
    private readonly WebApplication _app;

    private Service(TemporaryFolder folder, WebApplication app, string key)
    {
        _folder = folder;
        _app = app;
        Client = new HttpClient { BaseAddress = new Uri(app.Urls.Single()) };
        Client.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", key);
        Database = new Database(folder.Data.Database);
        Log = new Log(folder.Data);
    }

    public HttpClient Client { get; }

    public Database Database { get; }

    public Log Log { get; }

    public DataFolder Data => _folder.Data;

    public IServiceProvider Services => _app.Services;

    public string OtherKey { get; private init; } = "";

    /// <summary>The API key of a second caller, with the scope update.</summary>
    public string SecondKey { get; private init; } = "";

    /// <summary>Starts a host with three API keys: two callers have the scope update, and one has the scopes history and lookup.</summary>
    /// <param name="settings">Additional settings for the service.</param>
    /// <param name="engine">The storage engine to use instead of SQLite; null for SQLite.</param>
    /// <param name="prepare">The action that prepares the data folder before the host is built.</param>
    /// <param name="time">The clock of the host; null for the machine's clock.</param>
    public static async Task<Service> StartAsync(
        Dictionary<string, string?>? settings = null, IStorageProvider? engine = null, Action<DataFolder>? prepare = null,
        TimeProvider? time = null)
    {
        var folder = new TemporaryFolder();
        string key = ApiKey.Generate();
        string other = ApiKey.Generate();
        string second = ApiKey.Generate();
        AtomicFile.Write(
            folder.Data.ApiKeys,
            ApiKeyFile.Format(
            [
                new ApiKeyEntry("writer", ApiKey.Hash(key), ApiScopes.Update),
                new ApiKeyEntry("second", ApiKey.Hash(second), ApiScopes.Update),
                new ApiKeyEntry("reader", ApiKey.Hash(other), ApiScopes.History | ApiScopes.Lookup),
            ]),
            AtomicFile.PrivateMode);
        await new SqliteStorageProvider().CreateMigrator($"Data Source={folder.Data.Database}")
            .MigrateAsync(TestContext.Current.CancellationToken);
        prepare?.Invoke(folder.Data);
        WebApplication app = await UpdateServiceHost.CreateAsync(["--urls", "http://127.0.0.1:0"],
            [engine ?? new SqliteStorageProvider()], builder =>
        {
            builder.Configuration.AddInMemoryCollection(
                new Dictionary<string, string?> { [DataFolder.Variable] = folder.Path, ["Optiks:UpdateService:DrainTime"] = "00:00:00" });
            builder.Configuration.AddInMemoryCollection(settings ?? []);
            builder.Services.AddSingleton(time ?? TimeProvider.System);
        });
        await app.StartAsync(TestContext.Current.CancellationToken);
        return new Service(folder, app, key) { OtherKey = other, SecondKey = second };
    }

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        await _app.StopAsync(CancellationToken.None);
        await _app.DisposeAsync();
        await Log.DisposeAsync();
        _folder.Dispose();
    }

    /// <summary>Reads an observable gauge of this host; returns -1 if no gauge has this name.</summary>
    public long Gauge(string name)
    {
        long last = -1;
        using var listener = new MeterListener();
        listener.InstrumentPublished = (instrument, self) =>
        {
            if (instrument.Name == name && instrument.Meter.Scope == Services.GetRequiredService<IMeterFactory>())
            {
                self.EnableMeasurementEvents(instrument);
            }
        };
        listener.SetMeasurementEventCallback<int>((_, value, _, _) => last = value);
        listener.SetMeasurementEventCallback<long>((_, value, _, _) => last = value);
        listener.Start();
        listener.RecordObservableInstruments();
        return last;
    }

    public Task StopAsync() => _app.StopAsync(TestContext.Current.CancellationToken);

    public Task<Answer> PostAsync(string json) => PostAsync(Encoding.UTF8.GetBytes(json));

    /// <summary>Posts updates with the API key of the second caller.</summary>
    public Task<Answer> PostAsSecondAsync(string json) =>
        PostAsync(Encoding.UTF8.GetBytes(json),
            change: request => request.Headers.Authorization = new AuthenticationHeaderValue("Bearer", SecondKey));

    public Task<Answer> PostUsersAsync(string json) => PostUsersAsync(Encoding.UTF8.GetBytes(json));

    public Task<Answer> PostUsersAsync(byte[] body, string? contentType = "application/json") =>
        PostAsync(body, contentType, path: "/v1/users");

    public Task<Answer> PostAsync(
        byte[] body, string? contentType = "application/json", Action<HttpRequestMessage>? change = null, string path = "/v1/updates")
    {
        var request = new HttpRequestMessage(HttpMethod.Post, path) { Content = new ByteArrayContent(body) };
        if (contentType is not null)
        {
            request.Content.Headers.TryAddWithoutValidation("Content-Type", contentType);
        }
        change?.Invoke(request);
        return SendAsync(request);
    }

    public Task<Answer> GetAsync(string path) => SendAsync(new HttpRequestMessage(HttpMethod.Get, path));

    public async Task<Answer> SendAsync(HttpRequestMessage request)
    {
        using (request)
        {
            using HttpResponseMessage response = await Client.SendAsync(request, TestContext.Current.CancellationToken);
            byte[] body = await response.Content.ReadAsByteArrayAsync(TestContext.Current.CancellationToken);
            return new Answer(
                (int)response.StatusCode, response.Content.Headers.ContentType?.MediaType, response.Headers,
                body.Length == 0 ? default : JsonSerializer.Deserialize<JsonElement>(body));
        }
    }
}

/// <summary>Holds the status, headers and whole body of an HTTP answer.</summary>
internal sealed record Answer(int Status, string? MediaType, HttpResponseHeaders Headers, JsonElement Json)
{
    public string? Text(string member) => Json.TryGetProperty(member, out JsonElement value) ? value.GetString() : null;

    /// <summary>Asserts that the answer is a problem, and checks all of its members.</summary>
    public void IsProblem(string type, int status, string? field)
    {
        Assert.Equal($"urn:optiks:problem:{type}", Text("type"));
        Assert.Equal(status, Status);
        Assert.Equal(field, Text("field"));
        Assert.Equal("application/problem+json", MediaType);
        Assert.Equal(status, Json.GetProperty("status").GetInt32());
        Assert.NotEmpty(Text("detail")!);
        Assert.NotEmpty(Text("trace_id")!);
        Assert.True(Headers.CacheControl?.NoStore);
        Assert.Equal(status is 429 or 503, Headers.RetryAfter?.Delta >= TimeSpan.FromSeconds(1));
    }
}
