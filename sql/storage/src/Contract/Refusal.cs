namespace Optiks.Storage;

/// <summary>The reason why an item has no leaf.</summary>
/// <param name="Reason">The rule by which the item was refused.</param>
/// <param name="Item">The first item that the reason applies to.</param>
/// <param name="Current">The latest version of that item's key when the item was refused.</param>
public sealed record Refusal(RefusalReason Reason, int Item, ExpectedVersion Current);
