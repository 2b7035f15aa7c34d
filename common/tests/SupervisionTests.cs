using System.Collections.Concurrent;
using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Optiks.ServiceDefaults;

namespace Optiks.Common.Tests;

/// <summary>Tests the reports to a service manager, and the reload of a running host's settings.</summary>
public sealed class SupervisionTests : IDisposable
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(20);
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task The_manager_is_told_once_when_the_service_is_ready_and_when_it_stops()
    {
        using var manager = new Manager(_folder["notify"]);
        bool isReady = false;
        WebApplication app = Build(manager, services => services.AddHealthChecks()
            .AddCheck("work", () => isReady ? HealthCheckResult.Healthy("Standby.") : HealthCheckResult.Unhealthy("Opening\nthe database."))
            .AddCheck("broken", () => isReady ? HealthCheckResult.Healthy() : throw new InvalidOperationException("internals")));
        await using (app)
        {
            await app.StartAsync(TestContext.Current.CancellationToken);
            Assert.Equal("STATUS=Not ready. Opening the database. The check broken failed: InvalidOperationException.\n", manager.Next());
            // If the service is not ready yet, a reload must not report it as ready.
            Reload(app);
            isReady = true;
            Assert.Equal("READY=1\nSTATUS=Ready. Standby.\n", manager.Next());
            Reload(app);
            Assert.Matches("^RELOADING=1\nMONOTONIC_USEC=[0-9]+\n$", manager.Next());
            Assert.Equal("READY=1\n", manager.Next());
            await app.StopAsync(TestContext.Current.CancellationToken);
            Assert.Equal("STOPPING=1\n", manager.Next());
            Assert.Null(manager.Last());
        }
    }

    [Fact]
    public async Task Without_a_manager_nothing_is_added_and_a_name_that_is_none_is_refused()
    {
        await using WebApplication app = Build(null, _ => { });
        Assert.DoesNotContain(app.Services.GetServices<IHostedService>(), service => service is Reloading or ReadinessReports);
        Assert.Throws<StartupException>(() => ServiceManager.Find(_ => new string('x', 200)));
    }

    [Fact]
    public async Task A_manager_that_is_gone_holds_nobody_up()
    {
        var manager = new Manager(_folder["notify"]);
        await using WebApplication app = Build(manager, _ => { });
        manager.Dispose();
        await app.StartAsync(TestContext.Current.CancellationToken);
        Reload(app);
        await app.StopAsync(TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Limits_change_without_a_restart_and_what_is_wrong_changes_nothing()
    {
        using var manager = new Manager(_folder["notify"]);
        WriteSettings(burst: 1);
        await using WebApplication app = Build(manager, _ => { });
        app.MapGet("/lookups", () => "").LimitRate(RateLimitKind.Lookups);
        await app.StartAsync(TestContext.Current.CancellationToken);
        using var client = new HttpClient { BaseAddress = new Uri(app.Urls.Single()) };
        Assert.Equal([200, 429], await ManyAsync(client, 2));

        // The reload did not change the rate limit, so the tokens that the caller spent earlier stay spent.
        WriteSettings(burst: 1, more: """, "Logging": {"LogLevel": {"Default": "Debug"}}""");
        Reload(app);
        Assert.Equal([429], await ManyAsync(client, 1));
        Assert.Contains(Log.All, entry => entry.Contains("Reloaded", StringComparison.Ordinal));

        WriteSettings(burst: 3);
        Reload(app);
        Assert.Equal([200, 200, 200, 429], await ManyAsync(client, 4));

        foreach ((string wrong, string said) in new[]
        {
            ("{", "are not a JSON object"),
            (Settings(burst: -1), "Burst"),
            (Settings(burst: 5, more: """, "Optiks:Storag": {"Provider": "sqlite"}"""), "is not a section"),
        })
        {
            File.WriteAllText(_folder["settings.json"], wrong);
            Reload(app);
            Assert.Equal([429], await ManyAsync(client, 1));
            Assert.Contains(said, Log.All.Last(entry => entry.Contains("ReloadRefused", StringComparison.Ordinal)),
                StringComparison.Ordinal);
        }
        File.Delete(_folder["settings.json"]);
        Reload(app);
        Assert.Equal([429], await ManyAsync(client, 1));

        WriteSettings(burst: 0, perSecond: 0, more: """, "Optiks:Cors": {"Origins": ["https://secret.example.org"]}""");
        Reload(app);
        Assert.Equal([200, 200, 200, 200, 200], await ManyAsync(client, 5));
        string later = Log.All.Last(entry => entry.Contains("ReloadNeedsRestart", StringComparison.Ordinal));
        Assert.Contains("Optiks:Cors:Origins:0", later, StringComparison.Ordinal);
        Assert.DoesNotContain("secret", later, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_file_of_settings_gives_way_to_environment_and_command_line()
    {
        File.WriteAllText(_folder["settings.json"],
            """{"Optiks": {"Cors": {"Origins": ["https://file.example.org", "https://file.example.com"]}}, "urls": "http://127.0.0.1:0"}""");
        WebApplicationBuilder builder = WebApplication.CreateBuilder(["--Optiks:Cors:Origins:0=https://line.example.org"]);
        builder.Configuration.AddInMemoryCollection(
            new Dictionary<string, string?> { [DataFolder.Variable] = _folder.Path, [SettingsFile.Variable] = _folder["settings.json"] });
        builder.AddOptiksDefaults(
            new OptiksServiceOptions { Name = "test", DefaultUrl = "http://127.0.0.1:1", Settings = new Dictionary<string, Type>() });
        Assert.Equal(("https://line.example.org", "https://file.example.com"),
            (builder.Configuration["Optiks:Cors:Origins:0"], builder.Configuration["Optiks:Cors:Origins:1"]));
        await using WebApplication app = builder.Build();
        await app.StartAsync(TestContext.Current.CancellationToken);
        Assert.NotEqual(1, new Uri(app.Urls.Single()).Port);
    }

    [Theory]
    [InlineData(null, "cannot be read")]
    [InlineData("[1", "are not a JSON object")]
    [InlineData("""{"Optiks": {"Tls": {"CertificateFile": "x"}}}""", "must be set together")]
    [InlineData("""{"Optiks": {"Tls": {"CertificateFile": "x", "KeyFile": "/nonexistent/key"}}}""", "/nonexistent/key is missing")]
    public void A_file_that_does_not_do_ends_the_start(string? text, string said)
    {
        if (text is not null)
        {
            File.WriteAllText(_folder["settings.json"], text);
        }
        using var manager = new Manager(_folder["notify"]);
        Exception refused = Assert.ThrowsAny<Exception>(() => Build(manager, _ => { }, hasSettings: true));
        Assert.Contains(said, refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_certificate_is_exchanged_while_connections_go_on()
    {
        using var manager = new Manager(_folder["notify"]);
        using Chain first = new("first");
        using Chain second = new("second");
        first.Write(_folder["tls.pem"], _folder["tls.key"]);
        WriteSettings(burst: 0, perSecond: 0,
            more: $$""", "Optiks:Tls": {"CertificateFile": "{{_folder["tls.pem"]}}", "KeyFile": "{{_folder["tls.key"]}}"}""");
        await using WebApplication app = Build(manager, _ => { }, url: "https://127.0.0.1:0");
        app.MapGet("/", () => "answer");
        await app.StartAsync(TestContext.Current.CancellationToken);
        var address = new Uri(app.Urls.Single());

        (SslStream stream, string[] shown) = await ConnectAsync(address);
        await using (stream)
        {
            // The server also sends the intermediate certificate between its own certificate and the root, because clients do not have it.
            Assert.Equal(["CN=first", "CN=first between"], shown);

            // A certificate and key that do not match are refused.
            second.Write(_folder["tls.pem"], _folder["other.key"]);
            Reload(app);
            Assert.Contains("are not a certificate and its key",
                Log.All.Last(entry => entry.Contains("ReloadRefused", StringComparison.Ordinal)), StringComparison.Ordinal);
            Assert.Equal("CN=first", (await ShownAsync(address))[0]);

            second.Write(_folder["tls.pem"], _folder["tls.key"]);
            Reload(app);
            Assert.Equal(["CN=second", "CN=second between"], await ShownAsync(address));
            // The host still answers requests on the connection that was made with the earlier certificate.
            await stream.WriteAsync("GET / HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n"u8.ToArray(),
                TestContext.Current.CancellationToken);
            using var reader = new StreamReader(stream);
            Assert.Contains("answer", await reader.ReadToEndAsync(TestContext.Current.CancellationToken), StringComparison.Ordinal);
        }
    }

    private Entries Log { get; } = new();

    private static void Reload(WebApplication app)
    {
        ReloadedParts parts = app.Services.GetRequiredService<ReloadedParts>();
        parts.Manager.TellReload(app.Services.GetServices<IHostedService>().OfType<Reloading>().Single().Reload);
    }

    private static string Settings(int burst, double perSecond = 0.01, string more = "") =>
        string.Create(System.Globalization.CultureInfo.InvariantCulture,
            $"{{\"Optiks\": {{\"RateLimits\": {{\"Lookups\": {{\"PerSecond\": {perSecond}, \"Burst\": {burst}}}}}}}{more}}}");

    private static async Task<IReadOnlyList<int>> ManyAsync(HttpClient client, int requests)
    {
        int[] statuses = new int[requests];
        for (int i = 0; i < requests; i++)
        {
            using HttpResponseMessage response =
                await client.GetAsync(new Uri("/lookups", UriKind.Relative), TestContext.Current.CancellationToken);
            statuses[i] = (int)response.StatusCode;
        }
        return statuses;
    }

    private static async Task<IReadOnlyList<string>> ShownAsync(Uri address)
    {
        (SslStream stream, string[] shown) = await ConnectAsync(address);
        await stream.DisposeAsync();
        return shown;
    }

    // Connects to the host. Returns the connection and the subjects of the certificates that the server sent.
    private static async Task<(SslStream Stream, string[] Shown)> ConnectAsync(Uri address)
    {
        string[] shown = [];
        var tcp = new TcpClient();
        await tcp.ConnectAsync(IPAddress.Loopback, address.Port, TestContext.Current.CancellationToken);
        var stream = new SslStream(tcp.GetStream(), leaveInnerStreamOpen: false, (_, certificate, chain, _) =>
        {
            shown = [certificate!.Subject,
                .. chain!.ChainPolicy.ExtraStore.Select(extra => extra.Subject).Where(subject => subject != certificate.Subject)];
            return true;
        });
        await stream.AuthenticateAsClientAsync(
            new SslClientAuthenticationOptions { TargetHost = "localhost" }, TestContext.Current.CancellationToken);
        return (stream, shown);
    }

    private void WriteSettings(int burst, double perSecond = 0.01, string more = "") =>
        File.WriteAllText(_folder["settings.json"], Settings(burst, perSecond, more));

    private WebApplication Build(
        Manager? manager, Action<IServiceCollection> configure, string url = "http://127.0.0.1:0", bool hasSettings = false)
    {
        WebApplicationBuilder builder = WebApplication.CreateBuilder();
        builder.Configuration.AddInMemoryCollection(new Dictionary<string, string?>
        {
            [DataFolder.Variable] = _folder.Path,
            [ServiceManager.Variable] = manager?.Path,
            [SettingsFile.Variable] = hasSettings || File.Exists(_folder["settings.json"]) ? _folder["settings.json"] : null,
        });
        builder.AddOptiksDefaults(new OptiksServiceOptions { Name = "test", DefaultUrl = url, Settings = new Dictionary<string, Type>() });
        builder.Logging.AddProvider(Log);
        configure(builder.Services);
        WebApplication app = builder.Build();
        app.UseOptiksDefaults();
        return app;
    }

    /// <summary>
    /// Holds the socket of a service manager. The class reads each report at once, because a full socket would block the host.
    /// </summary>
    private sealed class Manager : IDisposable
    {
        private readonly Socket _socket = new(AddressFamily.Unix, SocketType.Dgram, ProtocolType.Unspecified);
        private readonly BlockingCollection<string> _told = [];

        public Manager(string path)
        {
            Path = path;
            _socket.Bind(new UnixDomainSocketEndPoint(path));
            new Thread(Read) { IsBackground = true }.Start();
        }

        public string Path { get; }

        public string Next() => _told.TryTake(out string? text, s_patience)
            ? text
            : throw new TimeoutException("The manager was told nothing.");

        /// <summary>Returns a report that was not returned before, or null if no such report has arrived.</summary>
        public string? Last() => _told.TryTake(out string? text) ? text : null;

        public void Dispose() => _socket.Dispose();

        private void Read()
        {
            byte[] octets = new byte[4096];
            try
            {
                while (true)
                {
                    _told.Add(Encoding.UTF8.GetString(octets, 0, _socket.Receive(octets)));
                }
            }
            catch (Exception e) when (e is SocketException or ObjectDisposedException)
            {
                // The socket was disposed, so no more reports arrive.
            }
        }
    }

    private sealed class Entries : ILoggerProvider, ILogger
    {
        private readonly ConcurrentQueue<string> _entries = new();

        public ILogger CreateLogger(string categoryName) => this;

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception,
            Func<TState, Exception?, string> formatter) =>
            _entries.Enqueue($"{eventId.Name}: {formatter(state, exception)}");

        public IEnumerable<string> All => _entries;

        public void Dispose()
        {
        }
    }

    /// <summary>Makes a server certificate, an intermediate certificate and an untrusted root.</summary>
    private sealed class Chain : IDisposable
    {
        private readonly ECDsa _rootKey = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        private readonly ECDsa _betweenKey = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        private readonly ECDsa _key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        private readonly string _pem;

        public Chain(string name)
        {
            DateTimeOffset now = TimeProvider.System.GetUtcNow();
            using X509Certificate2 root = Request($"CN={name} root", _rootKey, isAuthority: true)
                .CreateSelfSigned(now.AddDays(-1), now.AddDays(9));
            using X509Certificate2 between = Request($"CN={name} between", _betweenKey, isAuthority: true)
                .Create(root, now.AddDays(-1), now.AddDays(8), [1]).CopyWithPrivateKey(_betweenKey);
            using X509Certificate2 leaf = Request($"CN={name}", _key, isAuthority: false)
                .Create(between, now.AddDays(-1), now.AddDays(7), [2]);
            _pem = leaf.ExportCertificatePem() + "\n" + between.ExportCertificatePem() + "\n";
        }

        public void Write(string certificate, string key)
        {
            File.WriteAllText(certificate, _pem);
            File.WriteAllText(key, _key.ExportPkcs8PrivateKeyPem());
            File.SetUnixFileMode(key, AtomicFile.PrivateMode);
        }

        public void Dispose()
        {
            _rootKey.Dispose();
            _betweenKey.Dispose();
            _key.Dispose();
        }

        private static CertificateRequest Request(string name, ECDsa key, bool isAuthority)
        {
            var request = new CertificateRequest(name, key, HashAlgorithmName.SHA256);
            request.CertificateExtensions.Add(new X509BasicConstraintsExtension(isAuthority, false, 0, critical: true));
            return request;
        }
    }
}
