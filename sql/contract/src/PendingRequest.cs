namespace Optiks.Storage;

/// <summary>An accepted request that waits for its epoch.</summary>
/// <param name="RequestId">The client's id.</param>
/// <param name="Sequence">Order of acceptance.</param>
/// <param name="BodyHash">Hash of its content, 32 octets.</param>
/// <param name="Items">Its items, in order.</param>
public sealed record PendingRequest(Guid RequestId, long Sequence, ReadOnlyMemory<byte> BodyHash, IReadOnlyList<AcceptItem> Items);
