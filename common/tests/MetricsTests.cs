using System.Diagnostics.Metrics;
using System.Net;
using System.Net.Http.Headers;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Optiks.ApiKeys;
using Optiks.ServiceDefaults;

namespace Optiks.Common.Tests;

/// <summary>Tests which metrics Prometheus gets, and that other callers get nothing.</summary>
public sealed class MetricsTests : IAsyncLifetime
{
    private const string Expiry = "optiks.service.certificate.expiry";
    private const string Switch = "Optiks:Metrics:Prometheus";
    private static readonly ApiScopes s_others = ApiScopes.Update | ApiScopes.History | ApiScopes.Lookup | ApiScopes.Snapshot
        | ApiScopes.Erase;

    private readonly TemporaryFolder _folder = new();
    private readonly string _key = ApiKey.Generate();
    private readonly string _other = ApiKey.Generate();
    private WebApplication? _app;

    public ValueTask InitializeAsync()
    {
        AtomicFile.Write(
            _folder.Data.ApiKeys,
            ApiKeyFile.Format([new ApiKeyEntry("prometheus", ApiKey.Hash(_key), ApiScopes.Metrics),
                new ApiKeyEntry("everything else", ApiKey.Hash(_other), s_others)]),
            AtomicFile.PrivateMode);
        return ValueTask.CompletedTask;
    }

    public async ValueTask DisposeAsync()
    {
        if (_app is not null)
        {
            await _app.DisposeAsync();
        }
        _folder.Dispose();
    }

    [Theory]
    [InlineData(true, "metrics", HttpStatusCode.OK)]
    [InlineData(true, "others", HttpStatusCode.Forbidden)]
    [InlineData(true, null, HttpStatusCode.Unauthorized)]
    [InlineData(false, "metrics", HttpStatusCode.NotFound)]
    [InlineData(false, null, HttpStatusCode.NotFound)]
    public async Task Only_its_own_scope_is_told_anything_and_only_where_it_is_on(bool isOn, string? scope, HttpStatusCode expected)
    {
        await StartAsync(new() { [Switch] = isOn ? "true" : "false" });
        (HttpStatusCode status, string body) = await FetchAsync(scope switch
        {
            "metrics" => _key,
            "others" => _other,
            _ => null,
        });
        Assert.Equal(expected, status);
        Assert.Equal(expected == HttpStatusCode.OK, body.Contains("target_info{service_name=\"test\"", StringComparison.Ordinal));
    }

    [Fact]
    public async Task What_is_free_on_the_disk_is_told()
    {
        DataFolder.CreateFolder(_folder.Data.Board);
        await StartAsync([]);
        Dictionary<object, long> free = Read("optiks.service.disk.free", "optiks.folder");
        Dictionary<object, long> size = Read("optiks.service.disk.size", "optiks.folder");
        Assert.Equal(["board", "data"], free.Keys.Order());
        // The metric must have the disk's total size, which df also reports. Unlike the free space, it does not change during the test.
        Assert.All(size, one => Assert.Equal(new DriveInfo(_folder.Path).TotalSize, one.Value));
        Assert.All(free, one => Assert.InRange(one.Value, 1, size[one.Key]));
        Assert.Empty(Read(Expiry, "server.port"));
    }

    [Fact]
    public async Task A_certificate_that_is_served_is_told_with_its_end()
    {
        DateTimeOffset end = DateTimeOffset.FromUnixTimeSeconds(TimeProvider.System.GetUtcNow().AddDays(9).ToUnixTimeSeconds());
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        using X509Certificate2 certificate =
            new CertificateRequest("CN=localhost", key, HashAlgorithmName.SHA256).CreateSelfSigned(end.AddDays(-10), end);
        string path = Path.Combine(_folder.Path, "certificate.pem");
        string keyPath = Path.Combine(_folder.Path, "key.pem");
        await File.WriteAllTextAsync(path, certificate.ExportCertificatePem(), TestContext.Current.CancellationToken);
        await File.WriteAllTextAsync(keyPath, key.ExportPkcs8PrivateKeyPem(), TestContext.Current.CancellationToken);
        await StartAsync(new() { ["Kestrel:Certificates:Default:Path"] = path, ["Kestrel:Certificates:Default:KeyPath"] = keyPath },
            "https://127.0.0.1:0");
        int port = new Uri(_app!.Urls.Single(url => url.StartsWith("https:", StringComparison.Ordinal))).Port;
        Dictionary<object, long> served = [];
        for (int i = 0; i < 1500 && served.Count == 0; i++)
        {
            await Task.Delay(20, TestContext.Current.CancellationToken);
            served = Read(Expiry, "server.port");
        }
        Assert.Equal([new(port, end.ToUnixTimeSeconds())], served);
    }

    // Returns the values of a gauge of this host, by the value of an attribute. The method does not read the page for Prometheus, because
    // that page contains the meters of all hosts in the test process. (A service's process has only one host.)
    private Dictionary<object, long> Read(string name, string attribute)
    {
        var values = new Dictionary<object, long>();
        using var listener = new MeterListener();
        listener.InstrumentPublished = (instrument, self) =>
        {
            if (instrument.Name == name && instrument.Meter.Scope == _app!.Services.GetRequiredService<IMeterFactory>())
            {
                self.EnableMeasurementEvents(instrument);
            }
        };
        listener.SetMeasurementEventCallback<long>(
            (_, value, tags, _) => values[tags.ToArray().Single(tag => tag.Key == attribute).Value!] = value);
        listener.Start();
        listener.RecordObservableInstruments();
        return values;
    }

    // Starts the host. It is made with a slim builder, which does not have the services that https needs.
    private async Task StartAsync(Dictionary<string, string?> settings, params string[] more)
    {
        settings[DataFolder.Variable] = _folder.Path;
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Configuration.AddInMemoryCollection(settings);
        builder.AddOptiksDefaults(
            new OptiksServiceOptions
            {
                Name = "test",
                DefaultUrl = string.Join(';', ["http://127.0.0.1:0", .. more]),
                Settings = new Dictionary<string, Type>(),
            });
        _app = builder.Build();
        _app.UseOptiksDefaults();
        await _app.StartAsync(TestContext.Current.CancellationToken);
    }

    private async Task<(HttpStatusCode Status, string Body)> FetchAsync(string? key)
    {
        using var client =
            new HttpClient { BaseAddress = new Uri(_app!.Urls.First(url => url.StartsWith("http:", StringComparison.Ordinal))) };
        using var request = new HttpRequestMessage(HttpMethod.Get, "/metrics");
        request.Headers.Authorization = key is null ? null : new AuthenticationHeaderValue("Bearer", key);
        using HttpResponseMessage response = await client.SendAsync(request, TestContext.Current.CancellationToken);
        return (response.StatusCode, await response.Content.ReadAsStringAsync(TestContext.Current.CancellationToken));
    }
}
