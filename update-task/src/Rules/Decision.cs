using Optiks.Storage;

namespace Optiks.UpdateTask.Rules;

/// <summary>Decision is what becomes of a pending request: all of its items get a leaf, or none does; but for a device list that stays as it is.</summary>
internal readonly record struct Decision
{
    /// <summary>Refusal of the request; null: it was taken.</summary>
    public Refusal? Refusal { get; init; }

    /// <summary>List is the new version of the device list, the value of item <see cref="UserChange.ItemIndex"/>; null: that item is a plain key's, or <see cref="Unchanged"/>.</summary>
    public ReadOnlyMemory<byte>? List { get; init; }

    /// <summary>Unchanged is the outcome of item <see cref="UserChange.ItemIndex"/> when it names a list that stays as it is, or an erasure that is done; null: it gets a leaf like the others.</summary>
    public Refusal? Unchanged { get; init; }

    /// <summary>HasLeaf says whether an item gets a leaf.</summary>
    public bool HasLeaf(int item) => OutcomeOf(item) is null;

    /// <summary>OutcomeOf an item without a leaf; null: it gets one.</summary>
    public Refusal? OutcomeOf(int item) => Refusal ?? (item == UserChange.ItemIndex ? Unchanged : null);

    /// <summary>ValueOf the leaf of an item.</summary>
    public ReadOnlyMemory<byte> ValueOf(PendingRequest request, int item) =>
        item == UserChange.ItemIndex && List is { } list ? list : request.Items[item].Value;
}
