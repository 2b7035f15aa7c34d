using System.Security.Cryptography;
using Optiks.Protocol;
using Optiks.QueryService.Answers;
using Optiks.QueryService.Following;
using Optiks.ServiceDefaults;
using Optiks.Tlog;

namespace Optiks.QueryService.Endpoints;

/// <summary>BoardEndpoints serve the bulletin board's files as they are, below <c>/log</c> (docs/spec/board.md section 3). Any static file server does the same.</summary>
internal sealed class BoardEndpoints
{
    private const string CheckpointName = "checkpoint";
    private const int CheckpointNameLength = 18;

    private readonly BoardFolder _board;
    private readonly FollowerState _state;

    public BoardEndpoints(BoardFolder board, FollowerState state)
    {
        _board = board;
        _state = state;
    }

    public void Map(IEndpointRouteBuilder routes)
    {
        string[] methods = [HttpMethods.Get, HttpMethods.Head];
        routes.MapMethods("/log/checkpoint", methods, (HttpContext context, CancellationToken cancellation) => CheckpointAsync(context, cancellation))
            .Describe("The board's newest checkpoint, a signed note.");
        routes.MapMethods("/log/{**path}", methods, (HttpContext context, string? path, CancellationToken cancellation) => FileAsync(context, path ?? "", cancellation))
            .Describe("Tiles and entry bundles of the log (C2SP tlog-tiles), and audit proofs (audit/N).");
    }

    private static Task NotFoundAsync(HttpContext context) =>
        new Problem(ProblemTypes.NotFound, "The board has no such file.").ExecuteAsync(context);

    private async Task CheckpointAsync(HttpContext context, CancellationToken cancellationToken)
    {
        byte[]? note;
        try
        {
            note = await _board.Tiles.ReadCheckpointAsync(cancellationToken);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new BoardUnreadableException($"The checkpoint cannot be read: {e.Message}", e);
        }
        if (note is null)
        {
            await NotFoundAsync(context);
            return;
        }
        context.Response.Headers.CacheControl = "public, max-age=2";
        if (Caching.IsKnown(context, Base64UrlText.Encode(SHA256.HashData(note).AsSpan(0, CheckpointNameLength))))
        {
            return;
        }
        context.Response.ContentType = "text/plain; charset=utf-8";
        context.Response.ContentLength = note.Length;
        if (!HttpMethods.IsHead(context.Request.Method))
        {
            await context.Response.BodyWriter.WriteAsync(note, cancellationToken);
        }
    }

    private async Task FileAsync(HttpContext context, string path, CancellationToken cancellationToken)
    {
        // Only the board's own names, each in its only spelling, get to the file system; none of them leads out of the folder.
        bool isAudit = AuditPath.IsOne(path);
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
