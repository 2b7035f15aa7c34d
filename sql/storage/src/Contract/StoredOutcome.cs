namespace Optiks.Storage;

/// <summary>An outcome's row as it is stored.</summary>
/// <param name="Sequence">The request's sequence number.</param>
/// <param name="Item">The item's number in the request.</param>
/// <param name="Epoch">Epoch that decided the item.</param>
/// <param name="Ordinal">The leaf's number within the epoch; null when the item has no leaf.</param>
/// <param name="Refusal">The reason why the item has no leaf; null if it has one.</param>
/// <param name="Leaf">The origin of the stored leaf that the outcome names; null if there is no such leaf. An import ignores it.</param>
public sealed record StoredOutcome(long Sequence, int Item, ulong Epoch, int? Ordinal, Refusal? Refusal, LeafOrigin? Leaf);
