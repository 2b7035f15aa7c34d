namespace Optiks.Storage;

/// <summary>An outcome's row as it is stored.</summary>
/// <param name="Sequence">Its request's.</param>
/// <param name="Item">The item in the request.</param>
/// <param name="Epoch">Epoch that decided it.</param>
/// <param name="Ordinal">Its leaf's number within the epoch; null when it has none.</param>
/// <param name="Refusal">Why it has none.</param>
/// <param name="Leaf">Origin of the stored leaf that it names; null when there is none. Ignored by an import.</param>
public sealed record StoredOutcome(long Sequence, int Item, ulong Epoch, int? Ordinal, Refusal? Refusal, LeafOrigin? Leaf);
