using Optiks.Protocol;

namespace Optiks.Storage;

/// <summary>What became of a request.</summary>
/// <param name="State">Pending, published or refused.</param>
/// <param name="Epoch">Epoch that decided it; 0 while pending.</param>
/// <param name="Items">Of a published request the items that have a leaf, in order; otherwise empty.</param>
/// <param name="Refusal">Why, when refused.</param>
public sealed record RequestStatus(RequestState State, ulong Epoch, IReadOnlyList<PublishedItem> Items, Refusal? Refusal)
{
    /// <summary>IsAboutUser: the items that were published are of a request about a user, whose first one is the device list.</summary>
    public bool IsAboutUser => Items.Count > 0 && (Items[0].Item != UserChange.ItemIndex || Items[0].Structure == StructureId.Devices);
}
