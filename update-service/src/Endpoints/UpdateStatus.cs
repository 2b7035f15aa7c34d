using Optiks.Protocol;
using Optiks.Storage;

namespace Optiks.UpdateService.Endpoints;

/// <summary>UpdateStatus tells what became of a request (docs/spec/rest.md section 5). Members that do not belong to the status are absent.</summary>
/// <param name="RequestId">The request.</param>
/// <param name="Status"><c>pending</c>, <c>published</c> or <c>refused</c>.</param>
/// <param name="Epoch">Published: the epoch.</param>
/// <param name="Items">Published: each item's version.</param>
/// <param name="Proof">Published: where its proof is.</param>
/// <param name="Reason">Refused: why.</param>
/// <param name="Item">Refused: the first item that it is about.</param>
/// <param name="Current">Refused: that item's latest version when it was refused.</param>
internal sealed record UpdateStatus(
    Guid RequestId, string Status, ulong? Epoch = null, IReadOnlyList<StatusItem>? Items = null, ProofLink? Proof = null, string? Reason = null, int? Item = null, StatusVersion? Current = null)
{
    /// <summary>Of gives the answer for a stored status.</summary>
    /// <param name="requestId">The request.</param>
    /// <param name="status">What is stored of it.</param>
    /// <param name="mayName">Whether the caller may be told an item's key.</param>
    public static UpdateStatus Of(Guid requestId, RequestStatus status, Func<PublishedItem, bool> mayName) => status switch
    {
        { State: RequestState.Pending } => new UpdateStatus(requestId, "pending"),
        { State: RequestState.Published } => new UpdateStatus(
            requestId, "published", status.Epoch, [.. status.Items.Select(item => StatusItem.Of(item, mayName(item)))], ProofLink.Of(status)),
        { State: RequestState.Refused, Refusal: { } refusal } => new UpdateStatus(
            requestId, "refused", Reason: RefusalNames.Of(refusal.Reason), Item: refusal.Item, Current: new StatusVersion(refusal.Current.Period, refusal.Current.Version)),
        _ => throw new StorageCorruptException("A refused request has no reason."),
    };
}

/// <summary>StatusItem is one item of a published request.</summary>
/// <param name="Item">Its number within its request.</param>
/// <param name="Structure">Name of the structure that the key belongs to.</param>
/// <param name="KeyB64">The key; absent when it was erased since, or is not to be told.</param>
/// <param name="Version">The version that it became.</param>
/// <param name="Period">That version's time period.</param>
internal sealed record StatusItem(int Item, string Structure, string? KeyB64, ulong Version, ulong Period)
{
    /// <summary>Of gives the answer for a stored item.</summary>
    public static StatusItem Of(PublishedItem item, bool mayName) =>
        new(item.Item, Structures.Names[(int)item.Structure - 1], item.Key.IsEmpty || !mayName ? null : Base64UrlText.Encode(item.Key.Span), item.Version, item.Period);
}

/// <summary>StatusVersion names a version of a key; version 0: none.</summary>
internal sealed record StatusVersion(ulong Period, ulong Version);

/// <summary>ProofLink says how to ask a query-service for the proof. One that does not serve the epoch yet says so (<c>not-caught-up</c>).</summary>
/// <param name="Method">HTTP method.</param>
/// <param name="Href">Path to send the key or the username to.</param>
/// <param name="Epoch">Path of the epoch's record.</param>
internal sealed record ProofLink(string Method, string Href, string Epoch)
{
    /// <summary>Of a published request.</summary>
    public static ProofLink Of(RequestStatus status) =>
        new("POST", $"{(status.IsAboutUser ? "/v1/users/lookup" : "/v1/lookup")}?min_epoch={status.Epoch}", $"/v1/epochs/{status.Epoch}?min_epoch={status.Epoch}");
}
