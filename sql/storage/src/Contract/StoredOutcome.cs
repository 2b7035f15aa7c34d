namespace Optiks.Storage;

/// <summary>An outcome's row as it is stored.</summary>
/// <param name="Sequence">The request's sequence number.</param>
/// <param name="Item">The item's number in the request.</param>
/// <param name="Epoch">Epoch that decided the item.</param>
/// <param name="Result">The columns of the item's result. They may contradict each other, if the database is damaged.</param>
/// <param name="Leaf">The origin of the stored leaf that the outcome names; null if there is no such leaf. An import ignores it.</param>
public sealed record StoredOutcome(long Sequence, int Item, ulong Epoch, ResultColumns Result, LeafOrigin? Leaf);
