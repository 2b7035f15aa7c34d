using System.Security.Cryptography;
using Optiks.Protocol;
using Optiks.QueryService.Answers;
using Optiks.QueryService.Following;
using Optiks.ServiceDefaults;
using Optiks.Tlog;

namespace Optiks.QueryService.Endpoints;

/// <summary>Serves the board below <c>/log</c> (docs/spec/board.md section 3), which has the board's files and the checkpoint of the served
/// epoch.</summary>
internal sealed class BoardEndpoints
{
    private const int CheckpointNameLength = 18;

    private readonly IBoardFiles _board;
    private readonly FollowerState _state;
    private readonly CurrentEpoch _current;
    private readonly AnswerBudget _budget;

    public BoardEndpoints(IBoardFiles board, FollowerState state, CurrentEpoch current, AnswerBudget budget)
    {
        _current = current;
        _budget = budget;
        _board = board;
        _state = state;
    }

    public void Map(IEndpointRouteBuilder routes)
    {
        routes.MapRead("/log/checkpoint", CheckpointAsync).AllowBrowsers();
        routes.MapRead("/log/{**path}",
            (HttpContext context, string? path, CancellationToken cancellation) => FileAsync(context, path ?? "", cancellation))
            .AllowBrowsers();
    }

    private static Task NotFoundAsync(HttpContext context) =>
        new Problem(ProblemTypes.NotFound, "The board has no such file.").ExecuteAsync(context);

    /// <summary>Sends the checkpoint of the served epoch. It does not send the board's checkpoint file, which may be of a later
    /// epoch.</summary>
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
        if (await _board.FindAsync(path, cancellationToken) is not { } file)
        {
            await NotFoundAsync(context);
            return;
        }
        // Entity tags contain the log's name, so no file can be sent before this replica knows the log.
        if (_state.Anchor is null)
        {
            throw CurrentEpoch.Unavailable("This replica does not know the log yet.");
        }
        if (!Caching.IsUnchanged(context, $"{_state.LogName}/{path}"))
        {
            await SendAsync(context, file, AuditProofPath.TryParse(path, out _) ? MediaTypes.AuditProof : "application/octet-stream",
                _budget, cancellationToken);
        }
    }

    /// <summary>
    /// Sends a file of the board unchanged. If the file is on the disk, it is never in memory as a whole. If it is in memory, the budget
    /// counts its memory.
    /// </summary>
    public static async Task SendAsync(
        HttpContext context, BoardFile file, string type, AnswerBudget budget, CancellationToken cancellationToken)
    {
        bool isHead = HttpMethods.IsHead(context.Request.Method);
        if (isHead || file.Path is not null)
        {
            context.Response.ContentType = type;
            context.Response.ContentLength = file.Length;
            if (!isHead)
            {
                await context.Response.SendFileAsync(file.Path!, 0, file.Length, cancellationToken);
            }
            return;
        }
        using AnswerLease lease = budget.LeaseFor(context);
        using var answer = new PooledWriter(lease, file.Octets.Length);
        answer.Append(file.Octets.Span);
        await answer.SendAsync(context.Response, type, AnswerJson.WriteAuditProof, cancellationToken);
    }
}
