using Optiks.Protocol;

namespace Optiks.Storage;

/// <summary>The state and result of a request.</summary>
/// <param name="State">Whether the request is pending, published or refused.</param>
/// <param name="Epoch">The epoch that decided the request; 0 while it is pending.</param>
/// <param name="Items">The items that have a leaf, in order; empty if the request is not published.</param>
/// <param name="Refusal">The reason why the request was refused; null if it was not refused.</param>
public sealed record RequestStatus(RequestState State, ulong Epoch, IReadOnlyList<PublishedItem> Items, Refusal? Refusal)
{
    /// <summary>Whether the request is published and about a user. In such a request, item 0 is the device list; <see cref="Items"/> lacks
    /// it if the list did not change.</summary>
    public bool IsAboutUser => Items.Count > 0 && (Items[0].Item != UserChange.ItemIndex || Items[0].Structure == StructureId.Devices);
}
