using Optiks.Storage;

namespace Optiks.UpdateTask.Rules;

/// <summary>
/// Holds the decision on a pending request. If the request is refused, no item of it gets a leaf. If it is accepted, each item gets a leaf,
/// except the item of an erasure, and the item of a device list that stays unchanged.
/// </summary>
internal readonly record struct Decision
{
    /// <summary>The reason why the request is refused; null if it is accepted.</summary>
    public Refusal? Refusal { get; init; }

    /// <summary>
    /// The new version of the user's device list. It becomes the value of the item with the index <see cref="UserChange.ItemIndex"/>. Null
    /// if that item is an update of a plain key, or if the request does not change the list.
    /// </summary>
    public ReadOnlyMemory<byte>? List { get; init; }

    /// <summary>
    /// The result of the item with the index <see cref="UserChange.ItemIndex"/> if an accepted request gives that item no leaf. This is so
    /// if the device list stays unchanged, or if the request erases values. Null if the item gets a leaf like the other items.
    /// </summary>
    public ItemResult? WithoutLeaf { get; init; }

    /// <summary>Returns whether the item with this index gets a leaf.</summary>
    public bool HasLeaf(int item) => FindWithoutLeaf(item) is null;

    /// <summary>Returns the result of the item with this index if the item gets no leaf; returns null if it gets a leaf.</summary>
    public ItemResult? FindWithoutLeaf(int item) =>
        Refusal is not null ? new ItemResult.Refused(Refusal) : item == UserChange.ItemIndex ? WithoutLeaf : null;

    /// <summary>Returns the value that the leaf of the item with this index gets.</summary>
    public ReadOnlyMemory<byte> GetValue(PendingRequest request, int item) =>
        item == UserChange.ItemIndex && List is { } list ? list : request.Items[item].Value;
}
