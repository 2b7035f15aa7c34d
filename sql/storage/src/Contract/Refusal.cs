namespace Optiks.Storage;

/// <summary>The reason why a request was refused.</summary>
/// <param name="Reason">The rule by which the request was refused.</param>
/// <param name="Item">The first item that the reason applies to.</param>
/// <param name="Current">The latest version of that item's key when the request was refused.</param>
public sealed record Refusal(RefusalReason Reason, int Item, ExpectedVersion Current);
