namespace Optiks.Storage;

/// <summary>An outcome's row as it is stored.</summary>
/// <param name="Sequence">The request's sequence number.</param>
/// <param name="Item">The item's number in the request.</param>
/// <param name="Epoch">Epoch that decided the item.</param>
/// <param name="Ordinal">The leaf's number within the epoch; null when the item has no leaf.</param>
/// <param name="Refusal">Why the item has no leaf; null otherwise.</param>
/// <param name="Leaf">Origin of the stored leaf that the outcome names; null when there is no such leaf. An import ignores the
/// origin.</param>
public sealed record StoredOutcome(long Sequence, int Item, ulong Epoch, int? Ordinal, Refusal? Refusal, LeafOrigin? Leaf);
