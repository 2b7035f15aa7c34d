using Optiks.Protocol;
using Optiks.Storage;

namespace Optiks.UpdateService.Endpoints;

/// <summary>Shows the state of a request (docs/spec/rest.md section 5). The body lacks the members that do not belong to its
/// status.</summary>
/// <param name="RequestId">The request's id.</param>
/// <param name="Status"><c>pending</c>, <c>published</c> or <c>refused</c>.</param>
/// <param name="Epoch">The epoch that published the request, if the status is <c>published</c>.</param>
/// <param name="Items">The version that each item created, if the status is <c>published</c>.</param>
/// <param name="Proof">The link to the proof, if the status is <c>published</c>.</param>
/// <param name="Reason">The reason for the refusal, if the status is <c>refused</c>.</param>
/// <param name="Item">The number of the first item to which the reason applies, if the status is <c>refused</c>.</param>
/// <param name="Current">The latest version of that item's key at the time of the refusal, if the status is <c>refused</c>.</param>
internal sealed record UpdateStatusBody(
    Guid RequestId, string Status, ulong? Epoch = null, IReadOnlyList<StatusItem>? Items = null, ProofLink? Proof = null,
    string? Reason = null, int? Item = null, StatusVersion? Current = null)
{
    /// <summary>Returns the body of the answer for a stored status.</summary>
    /// <param name="requestId">The request's id.</param>
    /// <param name="status">The stored status.</param>
    /// <param name="mayName">The function that returns whether the caller may see an item's key.</param>
    public static UpdateStatusBody From(Guid requestId, RequestStatus status, Func<PublishedItem, bool> mayName) => status switch
    {
        { State: RequestState.Pending } => new UpdateStatusBody(requestId, "pending"),
        { State: RequestState.Published } => new UpdateStatusBody(
            requestId, "published", status.Epoch, [.. status.Items.Select(item => StatusItem.From(item, mayName(item)))],
            ProofLink.From(status)),
        { State: RequestState.Refused, Refusal: { } refusal } => new UpdateStatusBody(
            requestId, "refused", Reason: RefusalNames.Get(refusal.Reason), Item: refusal.Item,
            Current: new StatusVersion(refusal.Current.Period, refusal.Current.Version)),
        _ => throw new StorageCorruptException("A refused request has no reason."),
    };
}

/// <summary>Describes one item of a published request.</summary>
/// <param name="Item">The item's number within its request.</param>
/// <param name="Structure">The name of the structure that the key belongs to.</param>
/// <param name="KeyB64">The key in base64url; absent if the key has been erased since, or if the caller may not see it.</param>
/// <param name="Version">The version that the item created.</param>
/// <param name="Period">The version's period.</param>
internal sealed record StatusItem(int Item, string Structure, string? KeyB64, ulong Version, ulong Period)
{
    /// <summary>Returns the part of the body for a stored item.</summary>
    public static StatusItem From(PublishedItem item, bool mayName) =>
        new(item.Item, Structures.Names[(int)item.Structure - 1], item.Key.IsEmpty || !mayName ? null : Base64UrlText.Encode(item.Key.Span),
            item.Version, item.Period);
}

/// <summary>Names a version of a key; version 0 means that the key has no version.</summary>
internal sealed record StatusVersion(ulong Period, ulong Version);

/// <summary>
/// Says how to ask a query-service for the proof. A query-service that does not serve the epoch yet answers with the problem
/// <c>not-caught-up</c>.
/// </summary>
/// <param name="Method">The HTTP method.</param>
/// <param name="Href">The path to which the client sends the key or the username.</param>
/// <param name="Epoch">The path of the epoch's record.</param>
internal sealed record ProofLink(string Method, string Href, string Epoch)
{
    /// <summary>Returns the link to the proof for a published request.</summary>
    public static ProofLink From(RequestStatus status) =>
        new("POST", $"{(status.Kind == RequestKind.User ? "/v1/users/lookup" : "/v1/lookup")}?min_epoch={status.Epoch}",
            $"/v1/epochs/{status.Epoch}?min_epoch={status.Epoch}");
}
