using System.Security.Cryptography;
using Optiks.Protocol;
using Optiks.QueryService.Following;
using Optiks.ServiceDefaults;
using Optiks.Tlog;

namespace Optiks.QueryService.Endpoints;

/// <summary>BoardEndpoints serve the bulletin board below <c>/log</c> (docs/spec/board.md section 3): its files as they are, and the checkpoint of the epoch that is served.</summary>
internal sealed class BoardEndpoints
{
    private const int CheckpointNameLength = 18;

    private readonly BoardFolder _board;
    private readonly FollowerState _state;
    private readonly CurrentEpoch _current;

    public BoardEndpoints(BoardFolder board, FollowerState state, CurrentEpoch current)
    {
        _current = current;
        _board = board;
        _state = state;
    }

    public void Map(IEndpointRouteBuilder routes)
    {
        routes.MapRead("/log/checkpoint", CheckpointAsync).Describe(QueryApi.Checkpoint).AllowBrowsers();
        RouteHandlerBuilder files = routes.MapRead("/log/{**path}", (HttpContext context, string? path, CancellationToken cancellation) => FileAsync(context, path ?? "", cancellation)).AllowBrowsers();
        foreach (ApiOperation file in QueryApi.BoardFiles)
        {
            files.Describe(file);
        }
    }

    private static Task NotFoundAsync(HttpContext context) =>
        new Problem(ProblemTypes.NotFound, "The board has no such file.").ExecuteAsync(context);

    /// <summary>CheckpointAsync gives the checkpoint of the epoch that is served, which the board's own file may be ahead of.</summary>
    private async Task CheckpointAsync(HttpContext context, CancellationToken cancellationToken)
    {
        ReadOnlyMemory<byte> note = _current.PeekOrThrow().Checkpoint;
        context.Response.Headers.CacheControl = "public, max-age=2";
        if (Caching.IsKnown(context, Base64UrlText.Encode(SHA256.HashData(note.Span).AsSpan(0, CheckpointNameLength))))
        {
            return;
        }
        context.Response.ContentType = "text/plain; charset=utf-8";
        context.Response.ContentLength = note.Length;
        await context.Response.BodyWriter.WriteAsync(note, cancellationToken);
    }

    private async Task FileAsync(HttpContext context, string path, CancellationToken cancellationToken)
    {
        // Only the board's own names, each in its only spelling, get to the file system; none of them leads out of the folder.
        bool isAudit = AuditProofPath.IsOne(path);
        if (!(isAudit || TilePath.TryParse(path, out _)) || _board.Find(path) is not { } file)
        {
            await NotFoundAsync(context);
            return;
        }
        // Before the log is known here, tags would not tell it from others.
        if (_state.Anchor is null)
        {
            throw CurrentEpoch.Unavailable("The log is not known here yet.");
        }
        if (Caching.IsUnchanged(context, $"{_state.LogName}/{path}"))
        {
            return;
        }
        context.Response.ContentType = isAudit ? MediaTypes.AuditProof : "application/octet-stream";
        context.Response.ContentLength = file.Length;
        if (!HttpMethods.IsHead(context.Request.Method))
        {
            await context.Response.SendFileAsync(file.FullName, 0, file.Length, cancellationToken);
        }
    }
}
