using Optiks.Storage;

namespace Optiks.UpdateTask.Rules;

/// <summary>
/// Holds the decision on a pending request. Either all items of the request get a leaf, or no item does. A device list that stays as it is
/// gets no leaf in either case.
/// </summary>
internal readonly record struct Decision
{
    /// <summary>The refusal of the request; null if it was accepted.</summary>
    public Refusal? Refusal { get; init; }

    /// <summary>
    /// The new version of the device list, which is the value of item <see cref="UserChange.ItemIndex"/>; null if that item is an update of
    /// a plain key, or if the list is <see cref="Unchanged"/>.
    /// </summary>
    public ReadOnlyMemory<byte>? List { get; init; }

    /// <summary>
    /// The outcome of item <see cref="UserChange.ItemIndex"/> if the device list stays unchanged or the erasure is done; null if the item
    /// gets a leaf like the other items.
    /// </summary>
    public Refusal? Unchanged { get; init; }

    /// <summary>Returns whether an item gets a leaf.</summary>
    public bool HasLeaf(int item) => FindRefusal(item) is null;

    /// <summary>Returns the outcome of an item that gets no leaf; null if the item gets a leaf.</summary>
    public Refusal? FindRefusal(int item) => Refusal ?? (item == UserChange.ItemIndex ? Unchanged : null);

    /// <summary>Returns the value of an item's leaf.</summary>
    public ReadOnlyMemory<byte> GetValue(PendingRequest request, int item) =>
        item == UserChange.ItemIndex && List is { } list ? list : request.Items[item].Value;
}
