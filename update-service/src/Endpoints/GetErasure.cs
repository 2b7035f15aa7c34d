using Optiks.ServiceDefaults;
using Optiks.Storage;
using Optiks.UpdateService.Status;

namespace Optiks.UpdateService.Endpoints;

/// <summary>
/// Implements <c>GET /v1/erasures/{request_id}?wait=</c>: returns the state of an erasure and, once the erasure is done, the list of erased
/// versions. The answer names no keys, because the request's sender knows which keys the request was about.
/// </summary>
internal static class GetErasure
{
    public static void MapGetErasure(this IEndpointRouteBuilder app) =>
        app.MapRead("/v1/erasures/{request_id}", HandleAsync).LimitRate(RateLimitKind.Statuses).Require(Access.Erase);

    private static async Task<IResult> HandleAsync(
        HttpContext context, StatusReader reader, IAcceptStore store, ILogger<StatusReader> logger, CancellationToken cancellationToken)
    {
        (Guid id, RequestStatus? status, Problem? problem) = await GetUpdate.ReadAsync(context, reader, logger, cancellationToken);
        if (problem is not null)
        {
            return problem;
        }
        // The kind of a pending request is not known here. Its sender knows it, and asks the endpoint of that kind.
        if (status!.State != RequestState.Pending && status.Kind != RequestKind.Erasure)
        {
            return GetUpdate.NotFound;
        }
        try
        {
            IReadOnlyList<ErasedVersion> erased = status.State == RequestState.Published
                ? await store.ReadReceiptAsync(status.Epoch, id, cancellationToken)
                : [];
            context.Response.Headers.CacheControl = "no-store";
            return Results.Json(ErasureStatusBody.From(id, status, erased), AnswerContext.Default.ErasureStatusBody, GetUpdate.Json);
        }
        catch (StorageUnavailableException e)
        {
            return GetUpdate.Unavailable(e, logger);
        }
    }
}
