namespace Optiks.Client.Tests;

/// <summary>A log for one test, with a server, a clock and a folder for the client's state.</summary>
internal sealed class Fixture : IAsyncDisposable
{
    private readonly List<FixtureServer> _servers = [];

    private Fixture(FixtureLog log)
    {
        Log = log;
        Clock.UtcNow = log.Now;
    }

    public FixtureLog Log { get; }

    public SetClock Clock { get; } = new();

    public TemporaryFolder Folder { get; } = new();

    public HttpClient Http { get; } = new() { Timeout = TimeSpan.FromSeconds(20) };

    public FixtureServer Server => _servers[0];

    public static async Task<Fixture> StartAsync(int replicas = 1)
    {
        var fixture = new Fixture(new FixtureLog());
        for (int i = 0; i < replicas; i++)
        {
            fixture._servers.Add(await FixtureServer.StartAsync(fixture.Log));
        }
        return fixture;
    }

    public IReadOnlyList<Uri> Urls => [.. _servers.Select(server => server.Url)];

    public FixtureServer Replica(int index) => _servers[index];

    /// <summary>Publishes an epoch with these values, and moves the clock to the new epoch.</summary>
    public void Publish(params (string Key, string Value)[] updates)
    {
        Log.Publish(updates);
        Clock.UtcNow = Log.Now;
    }

    /// <summary>Makes the log switch to the next period, and moves the clock to the new epoch.</summary>
    public void Switch(Func<IReadOnlyList<FixtureCopy>, IReadOnlyList<FixtureCopy>>? change = null)
    {
        Log.Switch(change);
        Clock.UtcNow = Log.Now;
    }

    /// <summary>Publishes these items and moves the clock to the new epoch.</summary>
    public void PublishItems(params FixtureItem[] items)
    {
        Log.Publish(items);
        Clock.UtcNow = Log.Now;
    }

    public OptiksClient Client(
        IClientStateStore store, TimeSpan? retryFor = null, Func<OptiksClientOptions, OptiksClientOptions>? change = null) => new(
        (change ?? (options => options))(new OptiksClientOptions
        {
            TrustAnchor = FixtureLog.Anchor,
            QueryUrls = Urls,
            UpdateUrl = Server.Url,
            ApiKey = FixtureServer.ApiKey,
            RetryFor = retryFor ?? TimeSpan.FromMilliseconds(150),
            RetryDelay = TimeSpan.FromMilliseconds(20),
        }),
        Http,
        store,
        Clock);

    public Task<JournalClientStateStore> OpenStoreAsync(string name = "client") =>
        JournalClientStateStore.OpenAsync(Folder.In(name), FixtureLog.Anchor, TimeSpan.Zero, Clock);

    public async ValueTask DisposeAsync()
    {
        foreach (FixtureServer server in _servers)
        {
            await server.DisposeAsync();
        }
        Http.Dispose();
        Log.Dispose();
        Folder.Dispose();
    }
}
