using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.HttpOverrides;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Configuration.Json;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Options;
using Optiks.ServiceDefaults;

namespace Optiks.Common.Tests;

/// <summary>Tests the settings that hosts read, their addresses and the connections that they accept.</summary>
public sealed class ServiceBuilderTests : IDisposable
{
    private static readonly OptiksServiceOptions s_service =
        new() { Name = "test", DefaultUrl = "http://127.0.0.1:0", Settings = new Dictionary<string, Type>() };

    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task Switches_of_the_framework_have_no_effect_and_no_file_is_watched()
    {
        // In ASP.NET Core, the environment variable ASPNETCORE_X sets the setting X. The test sets these settings on the command line
        // instead.
        WebApplicationBuilder builder = ServiceBuilder.Create(
            "--ForwardedHeaders_Enabled=true", "--environment=Development", "--urls=http://127.0.0.1:0", "--HostingStartupAssemblies=none");
        Assert.Equal(Environments.Production, builder.Environment.EnvironmentName);
        Assert.Equal(AppContext.BaseDirectory.TrimEnd('/'), builder.Environment.ContentRootPath.TrimEnd('/'));
        JsonConfigurationSource[] files = [.. builder.Configuration.Sources.OfType<JsonConfigurationSource>()];
        Assert.Equal(["appsettings.json"], files.Select(file => Path.GetFileName(file.Path)));
        Assert.All(files, file => Assert.False(file.ReloadOnChange));
        Assert.Equal("http://127.0.0.1:0", builder.Configuration[WebHostDefaults.ServerUrlsKey]);

        builder.Configuration[DataFolder.Variable] = _folder.Path;
        builder.AddOptiksDefaults(s_service);
        await using WebApplication app = builder.Build();
        Assert.Equal(ForwardedHeaders.None, app.Services.GetRequiredService<IOptions<ForwardedHeadersOptions>>().Value.ForwardedHeaders);
        Assert.DoesNotContain(app.Services.GetServices<IStartupFilter>(),
            filter => filter.GetType().Name.Contains("Forwarded", StringComparison.Ordinal));
        app.UseOptiksDefaults();
        app.MapGet("/", () => "answered");
        await app.StartAsync(TestContext.Current.CancellationToken);
        using var client = new HttpClient();
        Assert.Equal("answered", await client.GetStringAsync(new Uri(app.Urls.Single()), TestContext.Current.CancellationToken));
    }

    [Theory]
    [InlineData("http://203.0.113.9:8301", "203.0.113.9")]
    [InlineData("http://127.0.0.1:80800", "80800")]
    [InlineData("nowhere", "nowhere")]
    public async Task An_address_that_cannot_be_listened_on_is_said_in_a_sentence(string url, string said)
    {
        using var error = new StringWriter();
        int code = await Startup.RunAsync(
            async () =>
            {
                WebApplicationBuilder builder = ServiceBuilder.Create("--urls", url);
                builder.Configuration[DataFolder.Variable] = _folder.Path;
                builder.AddOptiksDefaults(s_service);
                await using WebApplication app = builder.Build();
                app.UseOptiksDefaults();
                await Startup.RunHostAsync(app);
            },
            null,
            error);
        Assert.Equal(ExitCodes.Configuration, code);
        Assert.Contains(said, error.ToString(), StringComparison.Ordinal);
        Assert.Single(error.ToString().TrimEnd().Split('\n'));
    }

    [Fact]
    public async Task A_certificate_that_is_not_there_is_said_in_a_sentence()
    {
        using var error = new StringWriter();
        int code = await Startup.RunAsync(
            async () =>
            {
                WebApplicationBuilder builder = ServiceBuilder.Create(
                    "--urls=https://127.0.0.1:0", $"--Kestrel:Certificates:Default:Path={_folder["missing.pem"]}");
                builder.Configuration[DataFolder.Variable] = _folder.Path;
                builder.AddOptiksDefaults(s_service);
                await using WebApplication app = builder.Build();
                app.UseOptiksDefaults();
                await Startup.RunHostAsync(app);
            },
            null,
            error);
        Assert.Equal(ExitCodes.Configuration, code);
        Assert.Contains("missing.pem", error.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Connections_are_accepted_only_while_there_is_room()
    {
        CancellationToken cancel = TestContext.Current.CancellationToken;
        using var listeners = new BoundedListeners(Options.Create(new SocketTransportOptions()), NullLoggerFactory.Instance, 2);
        Assert.True(listeners.CanBind(new IPEndPoint(IPAddress.Loopback, 0)));
        await using IConnectionListener listener = await listeners.BindAsync(new IPEndPoint(IPAddress.Loopback, 0), cancel);
        using Socket first = await ConnectAsync(listener.EndPoint, cancel);
        using Socket second = await ConnectAsync(listener.EndPoint, cancel);
        using Socket third = await ConnectAsync(listener.EndPoint, cancel);
        ConnectionContext accepted = (await listener.AcceptAsync(cancel))!;
        await using ConnectionContext other = (await listener.AcceptAsync(cancel))!;
        Assert.Equal(first.LocalEndPoint, accepted.RemoteEndPoint);
        Task<ConnectionContext?> waiting = listener.AcceptAsync(cancel).AsTask();
        Assert.False(waiting.IsCompleted);

        // A client that disconnects does not make room for another connection until the server has closed the connection.
        first.Shutdown(SocketShutdown.Both);
        Assert.False(waiting.IsCompleted);
        await accepted.DisposeAsync();
        await accepted.DisposeAsync();
        await using ConnectionContext late = (await waiting)!;
        Assert.Equal(third.LocalEndPoint, late.RemoteEndPoint);

        Task<ConnectionContext?> unbound = listener.AcceptAsync(cancel).AsTask();
        Assert.False(unbound.IsCompleted);
        await listener.UnbindAsync(cancel);
        Assert.Null(await unbound);
    }

    [Theory]
    [InlineData("/", true)]
    [InlineData("/v1/epochs/0-7/audit-proof?x=..%2f//", true)]
    [InlineData("/log/tile/0/x001/067.p/9", true)]
    [InlineData("/log/...", true)]
    [InlineData("/log/%41", true)]
    [InlineData("*", true)]
    [InlineData("http://example.org/log/checkpoint", true)]
    [InlineData("http://example.org", true)]
    [InlineData("/log/a%2fb/../../metrics", false)]
    [InlineData("/log%2Fcheckpoint", false)]
    [InlineData("/log%5ccheckpoint", false)]
    [InlineData("/log\\checkpoint", false)]
    [InlineData("/log/%2e%2E/x", false)]
    [InlineData("/log/..", false)]
    [InlineData("/./log", false)]
    [InlineData("//log", false)]
    [InlineData("/log//x?y", false)]
    [InlineData("/log#x", false)]
    [InlineData("http://example.org/log/../x", false)]
    [InlineData("http://example.org//x", false)]
    public void A_path_is_plain_or_refused(string target, bool isPlain) => Assert.Equal(isPlain, PathForm.IsPlain(target));

    private static async Task<Socket> ConnectAsync(EndPoint to, CancellationToken cancel)
    {
        var socket = new Socket(to.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
        await socket.ConnectAsync(to, cancel);
        return socket;
    }
}
