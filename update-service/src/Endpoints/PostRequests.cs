using Optiks.Protocol;
using Optiks.ServiceDefaults;
using Optiks.Storage;
using Optiks.UpdateService.Accepting;
using Optiks.UpdateService.Receipts;
using Optiks.UpdateService.Requests;
using Optiks.UpdateService.Telemetry;

namespace Optiks.UpdateService.Endpoints;

/// <summary>
/// Implements <c>POST /v1/updates</c>, <c>POST /v1/users</c> and <c>POST /v1/erasures</c>, which differ in their bodies. Answers 202 only
/// after the requests are durable.
/// </summary>
internal sealed class PostRequests
{
    private const string Json = "application/json";
    private static readonly TimeSpan s_retryAfter = TimeSpan.FromSeconds(1);
    private static readonly Problem s_overloaded = new(
        ProblemTypes.Overloaded, "Too many updates are waiting to be stored. No part of this request was stored.", null, s_retryAfter);

    private readonly Parse _parse;
    private readonly string _statusPath;
    private readonly LogLimits _limits;
    private readonly RateLimiter _limiter;
    private readonly CommitQueue _queue;
    private readonly ReceiptMaker _receipts;
    private readonly UpdateMetrics _metrics;
    private readonly TimeProvider _time;
    private readonly ILogger<CommitQueue> _logger;

    /// <summary>
    /// Creates the handler of one endpoint. The function <paramref name="parse"/> reads the endpoint's bodies, and the statuses of its
    /// requests are below the path <paramref name="statusPath"/>.
    /// </summary>
    public PostRequests(
        Parse parse, string statusPath, LogLimits limits, RateLimiter limiter, CommitQueue queue, ReceiptMaker receipts,
        UpdateMetrics metrics, TimeProvider time, ILogger<CommitQueue> logger)
    {
        _parse = parse;
        _statusPath = statusPath;
        _limits = limits;
        _limiter = limiter;
        _queue = queue;
        _receipts = receipts;
        _metrics = metrics;
        _time = time;
        _logger = logger;
    }

    /// <summary>
    /// Parses a body. Throws <see cref="ProblemException"/> if the body is invalid, or if the caller may not change an item in it. The
    /// result keeps no reference to the body.
    /// </summary>
    public delegate ParsedRequests Parse(ReadOnlySpan<byte> body, Configuration log, CallerRights caller);

    /// <summary>Adds the three endpoints to the service.</summary>
    public static void Map(IEndpointRouteBuilder app)
    {
        Map(app, "/v1/updates", "/v1/updates/", UpdateRequestParser.Parse, Access.Update);
        Map(app, "/v1/users", "/v1/updates/", UserRequestParser.Parse, Access.UpdateUsers);
        Map(app, "/v1/erasures", "/v1/erasures/", ErasureRequestParser.Parse, Access.Erase);
    }

    // The handler's only parameter is the HttpContext, because ASP.NET Core calls such a delegate directly, without parameter binding.
    private static void Map(IEndpointRouteBuilder app, string path, string statusPath, Parse parse, Access access)
    {
        RequestDelegate handle = ActivatorUtilities.CreateInstance<PostRequests>(app.ServiceProvider, parse, statusPath).HandleAsync;
        app.MapPost(path, (Delegate)handle).Require(access).LimitRate(RateLimitKind.Updates);
    }

    private async Task HandleAsync(HttpContext context)
    {
        AcceptHeader.Choose(context.Request, Json);
        RequestBody.MediaType(context.Request, Json);
        int caller = Caller.Identify(context);
        using QueueSpace.Share share = _queue.Space.Open(caller);
        RequestUnit unit = await ReadAsync(context, share);
        var queued = new QueuedUnit(unit.Unit, caller);
        _limiter.Spend(context, RateLimitKind.Updates, queued.Tokens);
        Take(share, queued.Octets);
        if (!_queue.TryEnqueue(queued))
        {
            _metrics.Overloaded();
            await s_overloaded.ExecuteAsync(context);
            return;
        }
        // The wait is not cancelled when the caller disconnects, because the caller's unit is still in the queue and uses the caller's
        // share of it. The unit may be committed, and the caller can find out by its request id.
        CommitOutcome outcome = await queued.Outcome;
        if (outcome is { State: CommitState.Decided, Result.Status: AcceptStatus.Accepted })
        {
            AcceptedAnswer.Write(context.Response, unit, _statusPath, unit.WantsReceipts ? await _receipts.MakeAsync(unit) : null);
            return;
        }
        Problem problem = outcome.State switch
        {
            CommitState.Decided => Refused(unit, outcome.Result),
            CommitState.Expired => s_overloaded,
            CommitState.Unavailable when outcome.RetryAfter is not null => new Problem(
                ProblemTypes.Unavailable, "The database does not answer. No part of this request was stored.", null, outcome.RetryAfter),
            CommitState.Unavailable => new Problem(
                ProblemTypes.Unavailable,
                "The database did not answer; the updates may or may not be stored. Send them again with the same request ids.", null,
                s_retryAfter),
            CommitState.OlderCopy => new Problem(
                ProblemTypes.Unavailable, "The database is being restored and accepts no updates. No part of this request was stored.",
                null, s_retryAfter),
            _ => new Problem(ProblemTypes.Internal, "An unexpected error happened. Quote the trace id when you report it."),
        };
        await problem.ExecuteAsync(context);
    }

    private async ValueTask<RequestUnit> ReadAsync(HttpContext context, QueueSpace.Share share)
    {
        HttpRequest request = context.Request;
        using PooledBody body = await RequestBody.ReadPooledAsync(
            request,
            ProtocolLimits.MaxUpdateBody,
            octets =>
            {
                Take(share, octets);
                if (octets != request.ContentLength)
                {
                    share.Arriving(request.BodyReader);
                }
            },
            context.RequestAborted);
        share.Arrived();
        var unit = RequestUnit.Create(_parse(body.Span, _limits.Read(), CallerRights.Get(context)!), _time.GetUtcNow());
        return unit.WantsReceipts && !_receipts.IsOn
            ? throw new ProblemException(
                new Problem(ProblemTypes.MalformedRequest, "This service does not give receipts.",
                    unit.Parsed.Requests.First(request => request.WantsReceipt).ReceiptPath))
            : unit;
    }

    private void Take(QueueSpace.Share share, long octets)
    {
        if (!share.TryGrow(octets))
        {
            _metrics.Overloaded();
            throw new ProblemException(s_overloaded);
        }
    }

    private Problem Refused(RequestUnit unit, AcceptResult result)
    {
        Problem problem = ToProblem(unit, result, _logger);
        _metrics.Refused(problem);
        return problem;
    }

    private static Problem ToProblem(RequestUnit unit, AcceptResult result, ILogger logger)
    {
        ParsedRequest request = unit.Element(result.Request);
        switch (result.Status)
        {
            case AcceptStatus.RequestIdReused:
                return new Problem(ProblemTypes.RequestIdReused, "The id belongs to an earlier request with different content.",
                    request.RequestIdPath);
            case AcceptStatus.RequestIdTime when request.RequestId is null:
                // This service itself has just made the id, so the cause of the refusal is a wrong clock, and not the request.
                logger.ClocksDiffer();
                return new Problem(ProblemTypes.Unavailable, "The server's clocks differ. Nothing was stored.", null, s_retryAfter);
            case AcceptStatus.RequestIdTime:
                return new Problem(
                    ProblemTypes.RequestIdTime,
                    $"The id's time may be {Limits.RequestIdAhead.TotalMinutes} minutes ahead of the server's and {Limits.RequestIdBehind.TotalHours} hours behind it.",
                    request.RequestIdPath);
            default:
                return new Problem(
                    ProblemTypes.TooManyPending, $"{Limits.PendingPerKey} updates of the key wait for their epoch.",
                    request.KeyPath(result.Item), s_retryAfter);
        }
    }
}
