using Optiks.Protocol;
using Optiks.Storage;

namespace Optiks.UpdateService.Endpoints;

/// <summary>
/// Shows the state of a request that asked for an erasure (docs/spec/erasure.md section 4). The body lacks the members that do not belong
/// to its status.
/// </summary>
/// <param name="RequestId">The request's id.</param>
/// <param name="Status"><c>pending</c>, <c>erased</c> or <c>refused</c>.</param>
/// <param name="Epoch">The epoch that erased the values, if the status is <c>erased</c>.</param>
/// <param name="Erased">The versions whose values are now gone, if the status is <c>erased</c>.</param>
/// <param name="Reason">The reason for the refusal, if the status is <c>refused</c>.</param>
/// <param name="Current">The latest version of the key at the time of the refusal, if the status is <c>refused</c>.</param>
internal sealed record ErasureStatusBody(
    Guid RequestId, string Status, ulong? Epoch = null, IReadOnlyList<ErasedItem>? Erased = null, string? Reason = null,
    StatusVersion? Current = null)
{
    /// <summary>Returns the body of the answer for a stored status.</summary>
    /// <param name="requestId">The request's id.</param>
    /// <param name="status">The stored status.</param>
    /// <param name="erased">The versions that the request erased, if it is published.</param>
    public static ErasureStatusBody From(Guid requestId, RequestStatus status, IReadOnlyList<ErasedVersion> erased) => status switch
    {
        { State: RequestState.Published } => new ErasureStatusBody(requestId, "erased", status.Epoch, [.. erased.Select(ErasedItem.From)]),
        { State: RequestState.Refused, Refusal: { } refusal } => new ErasureStatusBody(
            requestId, "refused", Reason: RefusalNames.Get(refusal.Reason),
            Current: refusal.Reason is RefusalReason.LatestVersion or RefusalReason.OtherPeriod
                ? new StatusVersion(refusal.Current.Period, refusal.Current.Version)
                : null),
        _ => new ErasureStatusBody(requestId, "pending"),
    };
}

/// <summary>Describes a version whose value was erased.</summary>
/// <param name="Structure">The name of the structure that the version's key belongs to.</param>
/// <param name="Period">The version's period.</param>
/// <param name="Version">The version's number.</param>
/// <param name="Epoch">The epoch that inserted the version.</param>
internal sealed record ErasedItem(string Structure, ulong Period, ulong Version, ulong Epoch)
{
    /// <summary>Returns the part of the body for a stored version.</summary>
    public static ErasedItem From(ErasedVersion erased) =>
        new(Structures.Names[(int)erased.Structure - 1], erased.Period, erased.Version, erased.Epoch);
}
