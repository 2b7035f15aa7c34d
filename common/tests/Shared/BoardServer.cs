using System.Collections.Concurrent;
using System.Net;
using System.Security.Cryptography;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Optiks.Tests.Shared;

/// <summary>BoardServer is a web server that has a board's files, with entity tags, and answers otherwise when a test wants it. Compiled into the tests of those who read boards at a distance.</summary>
internal sealed class BoardServer : IAsyncDisposable
{
    private readonly WebApplication _app;
    private readonly string _folder;

    private BoardServer(WebApplication app, string folder)
    {
        _app = app;
        _folder = folder;
    }

    /// <summary>Url below which the files are.</summary>
    public string Url => $"{_app.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.Single()}/a/board";

    /// <summary>Fault answers a request for a file in the server's place; false: it did not.</summary>
    public Func<HttpContext, string, Task<bool>>? Fault { get; set; }

    /// <summary>Requests so far, with the status of the answer.</summary>
    public ConcurrentQueue<(string Path, int Status)> Requests { get; } = [];

    /// <summary>Setting of a service that leads here.</summary>
    public string Setting => $"--Optiks:Board:Url={Url}";

    /// <summary>StartAsync serves a folder.</summary>
    public static async Task<BoardServer> StartAsync(string folder)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, 0));
        WebApplication app = builder.Build();
        var server = new BoardServer(app, folder);
        app.Run(server.AnswerAsync);
        await app.StartAsync(TestContext.Current.CancellationToken);
        return server;
    }

    /// <summary>Says answers all requests for one file with these octets.</summary>
    public void Says(string path, byte[] octets) => Fault = async (context, asked) =>
    {
        if (asked != path)
        {
            return false;
        }
        await context.Response.Body.WriteAsync(octets, context.RequestAborted);
        return true;
    };

    /// <summary>Fails answers all requests with a status.</summary>
    public void Fails(int status) => Fault = (context, _) =>
    {
        context.Response.StatusCode = status;
        return Task.FromResult(true);
    };

    public ValueTask DisposeAsync() => _app.DisposeAsync();

    private async Task AnswerAsync(HttpContext context)
    {
        const string Prefix = "/a/board/";
        string path = context.Request.Path.Value!;
        path = path.StartsWith(Prefix, StringComparison.Ordinal) ? path[Prefix.Length..] : "";
        if (Fault is not { } fault || !await fault(context, path))
        {
            await SendAsync(context, Path.Combine(_folder, path));
        }
        Requests.Enqueue((path, context.Response.StatusCode));
    }

    private static async Task SendAsync(HttpContext context, string file)
    {
        if (!File.Exists(file))
        {
            context.Response.StatusCode = StatusCodes.Status404NotFound;
            return;
        }
        byte[] octets = await File.ReadAllBytesAsync(file, context.RequestAborted);
        string tag = $"\"{Convert.ToHexStringLower(SHA256.HashData(octets).AsSpan(0, 16))}\"";
        context.Response.Headers.ETag = tag;
        if (context.Request.Headers.IfNoneMatch == tag)
        {
            context.Response.StatusCode = StatusCodes.Status304NotModified;
            return;
        }
        context.Response.ContentLength = octets.Length;
        await context.Response.Body.WriteAsync(octets, context.RequestAborted);
    }
}
