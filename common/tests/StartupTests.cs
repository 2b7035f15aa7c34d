using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Optiks.ServiceDefaults;

namespace Optiks.Common.Tests;

/// <summary>Tests starts of hosts that succeed, fail or are cancelled.</summary>
public sealed class StartupTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task A_start_that_is_called_off_ends_in_order()
    {
        await using WebApplication app = Build(services => services.AddHostedService<Endless>());
        // The test stops the host while its hosted services are starting, as a signal could.
        app.Services.GetServices<IHostedService>().OfType<Endless>().Single().Started += app.Lifetime.StopApplication;
        await Startup.RunHostAsync(app);
    }

    [Fact]
    public async Task A_start_that_fails_says_why()
    {
        await using WebApplication app = Build(services => services.AddHostedService<Endless>());
        HostFailure failure = app.Services.GetRequiredService<HostFailure>();
        app.Services.GetServices<IHostedService>().OfType<Endless>().Single().Started += () => failure.Stop(new StartupException("no"));
        Assert.Equal("no", (await Assert.ThrowsAsync<StartupException>(() => Startup.RunHostAsync(app))).Message);
    }

    [Theory]
    [InlineData(1024, 320)]
    [InlineData(2048, 832)]
    [InlineData(1_048_576, 8192)]
    public void Connections_leave_descriptors_for_the_service(long descriptors, long connections)
    {
        var limits = new KestrelServerLimits();
        ConnectionLimits.Set(limits, descriptors);
        Assert.Equal(connections, limits.MaxConcurrentConnections);
        // These limits bound the data that a client can make a connection hold, and the time for which it can do so.
        Assert.Equal((16.0 * 1024, 4.0 * 1024),
            (limits.MinResponseDataRate!.BytesPerSecond, limits.MinRequestBodyDataRate!.BytesPerSecond));
        Assert.Equal(32 * 1024, limits.MaxResponseBufferSize);
    }

    [Fact]
    public void Too_few_descriptors_are_refused()
    {
        StartupException refused = Assert.Throws<StartupException>(() => ConnectionLimits.Set(new KestrelServerLimits(), 1023));
        Assert.Equal(ExitCodes.Configuration, refused.ExitCode);
        Assert.True(ConnectionLimits.Descriptors() > 0);
    }

    private WebApplication Build(Action<IServiceCollection> configure)
    {
        WebApplicationBuilder builder = WebApplication.CreateBuilder();
        builder.Configuration.AddInMemoryCollection(new Dictionary<string, string?> { [DataFolder.Variable] = _folder.Path });
        builder.AddOptiksDefaults(
            new OptiksServiceOptions { Name = "test", DefaultUrl = "http://127.0.0.1:0", Settings = new Dictionary<string, Type>() });
        configure(builder.Services);
        WebApplication app = builder.Build();
        app.UseOptiksDefaults();
        return app;
    }

    // A hosted service whose start does not end before it is cancelled.
    private sealed class Endless : IHostedService
    {
        public event Action? Started;

        public async Task StartAsync(CancellationToken cancellationToken)
        {
            Started?.Invoke();
            await Task.Delay(Timeout.Infinite, cancellationToken);
        }

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
    }
}
