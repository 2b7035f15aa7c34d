namespace Optiks.Storage;

/// <summary>An accepted request that waits for an epoch.</summary>
/// <param name="RequestId">The client's id.</param>
/// <param name="Sequence">Order of acceptance.</param>
/// <param name="BodyHash">Hash of the request's content, 32 bytes.</param>
/// <param name="Items">The items, in order.</param>
public sealed record PendingRequest(Guid RequestId, long Sequence, ReadOnlyMemory<byte> BodyHash, IReadOnlyList<AcceptItem> Items);
