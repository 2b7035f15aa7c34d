using System.Collections.Concurrent;
using System.Security.Cryptography;
using Microsoft.AspNetCore.Http;

namespace Optiks.Tests.Shared;

/// <summary>
/// Serves a board's files with entity tags, or faulty answers if a test wants them. This file is compiled into the tests of programs that
/// read boards at a URL.
/// </summary>
internal sealed class BoardServer : IAsyncDisposable
{
    private readonly string _folder;
    private MadeUpServer? _server;

    private BoardServer(string folder) => _folder = folder;

    /// <summary>The URL below which the server serves the board's files.</summary>
    public string Url => $"{_server!.Address}/a/board";

    /// <summary>The function that may answer a request for a file in place of the server. It returns false if it did not answer.</summary>
    public Func<HttpContext, string, Task<bool>>? Fault { get; set; }

    /// <summary>The requests so far, with the status of each answer.</summary>
    public ConcurrentQueue<(string Path, int Status)> Requests { get; } = [];

    /// <summary>The setting that makes a service use this server.</summary>
    public string Setting => $"--Optiks:Board:Url={Url}";

    /// <summary>Starts a server of the board in this folder.</summary>
    public static async Task<BoardServer> StartAsync(string folder)
    {
        var board = new BoardServer(folder);
        board._server = await MadeUpServer.StartAsync(board.AnswerAsync);
        return board;
    }

    /// <summary>Makes the server answer all requests for one file with these bytes.</summary>
    public void Says(string path, byte[] octets) => Fault = async (context, asked) =>
    {
        if (asked != path)
        {
            return false;
        }
        await context.Response.Body.WriteAsync(octets, context.RequestAborted);
        return true;
    };

    /// <summary>Makes the server answer all requests with this status.</summary>
    public void Fails(int status) => Fault = (context, _) =>
    {
        context.Response.StatusCode = status;
        return Task.FromResult(true);
    };

    public ValueTask DisposeAsync() => _server!.DisposeAsync();

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
