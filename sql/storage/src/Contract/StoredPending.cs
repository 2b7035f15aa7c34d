namespace Optiks.Storage;

/// <summary>A pending row as it is stored.</summary>
/// <param name="Sequence">The request's sequence number.</param>
/// <param name="Item">The item's number in the request.</param>
/// <param name="Update">The update.</param>
public sealed record StoredPending(long Sequence, int Item, AcceptItem Update);
