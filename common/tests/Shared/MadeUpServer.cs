using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Logging;

namespace Optiks.Tests.Shared;

/// <summary>
/// Runs an HTTP server whose answers a test chooses. This file is compiled into the tests of programs that send requests to other machines.
/// </summary>
internal sealed class MadeUpServer : IAsyncDisposable
{
    private readonly WebApplication _app;
    private int _asked;

    private MadeUpServer(WebApplication app) => _app = app;

    /// <summary>The server's address, without a path.</summary>
    public string Address => _app.Urls.Single();

    /// <summary>The number of requests so far.</summary>
    public int Asked => Volatile.Read(ref _asked);

    /// <summary>Starts a server at a free port of this machine.</summary>
    /// <param name="answer">The function that answers each request.</param>
    /// <param name="listen">The action that configures the listener, for example with TLS; null if there is nothing to configure.</param>
    public static async Task<MadeUpServer> StartAsync(Func<HttpContext, Task> answer, Action<ListenOptions>? listen = null)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, 0, listen ?? (_ => { })));
        WebApplication app = builder.Build();
        var server = new MadeUpServer(app);
        app.Run(context =>
        {
            Interlocked.Increment(ref server._asked);
            return answer(context);
        });
        await app.StartAsync(TestContext.Current.CancellationToken);
        return server;
    }

    public async ValueTask DisposeAsync()
    {
        // The server is stopped without waiting for requests that hang.
        using var now = new CancellationTokenSource(TimeSpan.Zero);
        await _app.StopAsync(now.Token);
        await _app.DisposeAsync();
    }
}
