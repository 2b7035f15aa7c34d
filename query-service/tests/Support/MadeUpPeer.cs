using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace Optiks.QueryService.Tests;

/// <summary>MadeUpPeer answers over HTTP whatever a test wants another replica to answer.</summary>
internal sealed class MadeUpPeer : IAsyncDisposable
{
    private readonly WebApplication _app;
    private int _asked;

    private MadeUpPeer(WebApplication app) => _app = app;

    public string Address => _app.Urls.Single();

    /// <summary>Asked counts the requests.</summary>
    public int Asked => Volatile.Read(ref _asked);

    public static async Task<MadeUpPeer> StartAsync(Func<HttpContext, Task> answer)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        WebApplication app = builder.Build();
        var peer = new MadeUpPeer(app);
        app.Run(context =>
        {
            Interlocked.Increment(ref peer._asked);
            return answer(context);
        });
        await app.StartAsync(TestContext.Current.CancellationToken);
        return peer;
    }

    public async ValueTask DisposeAsync()
    {
        // What hangs is not waited for.
        using var now = new CancellationTokenSource(TimeSpan.Zero);
        await _app.StopAsync(now.Token);
        await _app.DisposeAsync();
    }
}
