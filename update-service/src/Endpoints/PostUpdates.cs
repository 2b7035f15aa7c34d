using Optiks.ApiKeys;
using Optiks.ServiceDefaults;
using Optiks.Storage;
using Optiks.UpdateService.Accepting;
using Optiks.UpdateService.Requests;
using Optiks.UpdateService.Telemetry;

namespace Optiks.UpdateService.Endpoints;

/// <summary>PostUpdates is <c>POST /v1/updates</c>: 202 only after the updates are durable.</summary>
internal static class PostUpdates
{
    private const string Json = "application/json";
    private static readonly TimeSpan s_retryAfter = TimeSpan.FromSeconds(1);

    public static void MapPostUpdates(this IEndpointRouteBuilder app) =>
        app.MapPost("/v1/updates", HandleAsync).LimitRate(RateLimitKind.Updates).RequireScope(ApiScopes.Update).DescribePostUpdates();

    private static async Task<IResult> HandleAsync(
        HttpContext context, LogLimits limits, RateLimiter limiter, CommitQueue queue, UpdateMetrics metrics, TimeProvider time, ILogger<CommitQueue> logger, CancellationToken cancellationToken)
    {
        AcceptHeader.Choose(context.Request, Json);
        RequestBody.MediaType(context.Request, Json);
        byte[] body = await RequestBody.ReadAsync(context.Request, UpdateRequestParser.MaxBodyLength, cancellationToken);
        var unit = RequestUnit.Create(UpdateRequestParser.Parse(body, limits), time.GetUtcNow());

        var queued = new QueuedUnit(unit.Unit);
        limiter.Spend(context, RateLimitKind.Updates, queued.Updates);
        if (!queue.TryEnqueue(queued))
        {
            metrics.Overloaded();
            return new Problem(ProblemTypes.Overloaded, "Too many updates wait to be stored. Nothing of this request was stored.", null, s_retryAfter);
        }
        // A caller that goes away here leaves its unit in the queue: it may be committed, and its request id tells.
        CommitOutcome outcome = await queued.Outcome.WaitAsync(cancellationToken);
        return outcome.State switch
        {
            CommitState.Decided when outcome.Result.Status == AcceptStatus.Accepted => Accepted(context.Response, unit),
            CommitState.Decided => Refused(unit, outcome.Result, logger),
            CommitState.Unavailable when outcome.RetryAfter is not null => new Problem(
                ProblemTypes.Unavailable, "The database does not answer. Nothing of this request was stored.", null, outcome.RetryAfter),
            CommitState.Unavailable => new Problem(
                ProblemTypes.Unavailable, "The database did not answer; the updates may be stored or not. Send them again with the same request ids.", null, s_retryAfter),
            CommitState.OlderCopy => new Problem(
                ProblemTypes.Unavailable, "The database is being restored and takes no updates. Nothing of this request was stored.", null, s_retryAfter),
            _ => new Problem(ProblemTypes.Internal, "An unexpected error happened. Quote the trace id when you report it."),
        };
    }

    private static IResult Accepted(HttpResponse response, RequestUnit unit)
    {
        response.Headers.CacheControl = "no-store";
        if (unit.Parsed.IsList)
        {
            return Results.Json([.. unit.Ids.Select(UpdateAccepted.Of)], AnswerContext.Default.UpdateAcceptedArray, Json, StatusCodes.Status202Accepted);
        }
        var accepted = UpdateAccepted.Of(unit.Ids[0]);
        response.Headers.Location = accepted.StatusUrl;
        return Results.Json(accepted, AnswerContext.Default.UpdateAccepted, Json, StatusCodes.Status202Accepted);
    }

    private static Problem Refused(RequestUnit unit, AcceptResult result, ILogger logger)
    {
        ParsedRequest request = unit.Element(result.Request);
        switch (result.Status)
        {
            case AcceptStatus.RequestIdReused:
                return new Problem(ProblemTypes.RequestIdReused, "The id belongs to an earlier request with other content.", request.RequestIdPath);
            case AcceptStatus.RequestIdTime when request.RequestId is null:
                // The id was made here a moment ago: the clocks are wrong, not the request.
                logger.ClocksDiffer();
                return new Problem(ProblemTypes.Unavailable, "The server's clocks differ. Nothing was stored.", null, s_retryAfter);
            case AcceptStatus.RequestIdTime:
                return new Problem(
                    ProblemTypes.RequestIdTime,
                    $"The id's time may be {Limits.RequestIdAhead.TotalMinutes} minutes ahead of the server's and {Limits.RequestIdBehind.TotalHours} hours behind it.",
                    request.RequestIdPath);
            default:
                return new Problem(
                    ProblemTypes.TooManyPending, $"{Limits.PendingPerKey} updates of the key wait for their epoch.", request.KeyPath(result.Item), s_retryAfter);
        }
    }
}
