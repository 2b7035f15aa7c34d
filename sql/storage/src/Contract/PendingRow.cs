namespace Optiks.Storage;

/// <summary>A pending item as a driver reads it, with the id and hash of its request.</summary>
/// <param name="Sequence">The request's order of acceptance.</param>
/// <param name="Item">The item's number in the request.</param>
/// <param name="RequestId">The request's id; null when the database has the item but not its request.</param>
/// <param name="BodyHash">The request's body hash, 32 bytes.</param>
/// <param name="Update">The update.</param>
public readonly record struct PendingRow(long Sequence, int Item, Guid? RequestId, ReadOnlyMemory<byte> BodyHash, AcceptItem Update);
