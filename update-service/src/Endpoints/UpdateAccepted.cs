namespace Optiks.UpdateService.Endpoints;

/// <summary>UpdateAccepted answers an update that is durable.</summary>
/// <param name="RequestId">The caller's id, or the one made for it.</param>
/// <param name="Status">Always <c>pending</c>: what became of it is asked at <paramref name="StatusUrl"/>.</param>
/// <param name="StatusUrl">Path to ask at.</param>
internal sealed record UpdateAccepted(Guid RequestId, string Status, string StatusUrl)
{
    /// <summary>Of gives the answer for an id.</summary>
    public static UpdateAccepted Of(Guid requestId) => new(requestId, "pending", $"/v1/updates/{requestId:D}");
}
