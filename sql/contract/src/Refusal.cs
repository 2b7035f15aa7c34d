namespace Optiks.Storage;

/// <summary>Says why an item has no leaf.</summary>
/// <param name="Reason">The reason.</param>
/// <param name="Item">The first item that it is about.</param>
/// <param name="Current">That key's latest version at that time.</param>
public sealed record Refusal(RefusalReason Reason, int Item, ExpectedVersion Current);
