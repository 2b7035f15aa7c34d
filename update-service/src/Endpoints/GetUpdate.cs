using System.Globalization;
using Microsoft.Extensions.Primitives;
using Optiks.Protocol;
using Optiks.ServiceDefaults;
using Optiks.Storage;
using Optiks.UpdateService.Status;
using Optiks.UpdateService.Telemetry;

namespace Optiks.UpdateService.Endpoints;

/// <summary>
/// Implements <c>GET /v1/updates/{request_id}?wait=</c>: returns the state of a request, at once or after waiting for its result.
/// </summary>
internal static class GetUpdate
{
    /// <summary>The longest wait that a caller may ask for, in seconds.</summary>
    public const int MaxWaitSeconds = 60;

    /// <summary>The name of the URL parameter with the number of seconds to wait.</summary>
    public const string WaitParameter = "wait";

    /// <summary>The only media type in which the service returns a status.</summary>
    public const string Json = "application/json";

    private static readonly TimeSpan s_retryAfter = TimeSpan.FromSeconds(1);

    public static void MapGetUpdate(this IEndpointRouteBuilder app) =>
        app.MapRead("/v1/updates/{request_id}", HandleAsync).LimitRate(RateLimitKind.Statuses).Require(Access.Status);

    /// <summary>The problem for an id that does not belong to any request of the kind that the path names.</summary>
    public static Problem NotFound { get; } = new(
        ProblemTypes.NotFound, "No request with this id is known, or its answer is no longer kept.");

    /// <summary>Returns the problem for the case that the database does not answer, and logs the failure.</summary>
    public static Problem Unavailable(StorageUnavailableException e, ILogger<StatusReader> logger)
    {
        if (e.RetryAfter is null)
        {
            logger.StatusUnavailable(e);
        }
        return new Problem(ProblemTypes.Unavailable, "The database did not answer.", null, e.RetryAfter ?? s_retryAfter);
    }

    /// <summary>Reads the status of the request that the path names, or returns a problem.</summary>
    public static async Task<(Guid Id, RequestStatus? Status, Problem? Problem)> ReadAsync(
        HttpContext context, StatusReader reader, ILogger<StatusReader> logger, CancellationToken cancellationToken)
    {
        AcceptHeader.Choose(context.Request, Json);
        if (!UuidText.TryParse(context.GetRouteValue("request_id") as string, out Guid id) || !RequestIds.IsVersion7(id))
        {
            return (id, null,
                new Problem(ProblemTypes.MalformedRequest, "The request id in the path is not a UUID of version 7.", "{request_id}"));
        }
        if (!TryReadWait(context.Request.Query[WaitParameter], out TimeSpan wait))
        {
            return (id, null, new Problem(ProblemTypes.MalformedRequest,
                $"The parameter wait must be a number of seconds from 0 to {MaxWaitSeconds}.", $"?{WaitParameter}"));
        }
        try
        {
            RequestStatus? status = await reader.ReadAsync(id, wait, cancellationToken);
            return (id, status, status is null ? NotFound : null);
        }
        catch (StorageUnavailableException e)
        {
            return (id, null, Unavailable(e, logger));
        }
    }

    private static async Task<IResult> HandleAsync(
        HttpContext context, StatusReader reader, ILogger<StatusReader> logger, CancellationToken cancellationToken)
    {
        (Guid id, RequestStatus? status, Problem? problem) = await ReadAsync(context, reader, logger, cancellationToken);
        if (problem is not null)
        {
            return problem;
        }
        if (status!.Kind == RequestKind.Erasure)
        {
            return NotFound;
        }
        var rights = new StatusRights(CallerRights.Get(context)!, status);
        if (rights.FirstOfOthers is { } other)
        {
            return new Problem(ProblemTypes.Forbidden,
                $"Item {other} of the request is about a key or a user that the token does not name.", "{request_id}");
        }
        context.Response.Headers.CacheControl = "no-store";
        return Results.Json(UpdateStatusBody.From(id, status, rights.MayName), AnswerContext.Default.UpdateStatusBody, Json);
    }

    private static bool TryReadWait(StringValues given, out TimeSpan wait)
    {
        wait = TimeSpan.Zero;
        if (given.Count == 0)
        {
            return true;
        }
        if (given.Count != 1 || !int.TryParse(given[0], NumberStyles.None, CultureInfo.InvariantCulture, out int seconds)
            || seconds > MaxWaitSeconds || given[0] is ['0', _, ..])
        {
            return false;
        }
        wait = TimeSpan.FromSeconds(seconds);
        return true;
    }
}
