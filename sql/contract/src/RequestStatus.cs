using Optiks.Protocol;

namespace Optiks.Storage;

/// <summary>The state and result of a request.</summary>
/// <param name="State">Whether the request is pending, published or refused.</param>
/// <param name="Epoch">The epoch that decided the request; 0 while it is pending.</param>
/// <param name="Items">The items of a published request that have a leaf, in order; otherwise empty.</param>
/// <param name="Refusal">Why the request was refused; null otherwise.</param>
public sealed record RequestStatus(RequestState State, ulong Epoch, IReadOnlyList<PublishedItem> Items, Refusal? Refusal)
{
    /// <summary>Whether the published items belong to a request about a user, whose first item is the device list.</summary>
    public bool IsAboutUser => Items.Count > 0 && (Items[0].Item != UserChange.ItemIndex || Items[0].Structure == StructureId.Devices);
}
