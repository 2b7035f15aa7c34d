namespace Optiks.Storage;

/// <summary>One atomic request: either one epoch takes all its items, or no epoch takes any of them.</summary>
/// <param name="RequestId">The client's UUIDv7.</param>
/// <param name="BodyHash">Hash of the decoded content in canonical form, 32 bytes. Two JSON spellings of one request have the same
/// hash.</param>
/// <param name="Items">1 to <see cref="Limits.ItemsPerRequest"/> items; no (structure, key) occurs twice.</param>
public sealed record AcceptRequest(Guid RequestId, ReadOnlyMemory<byte> BodyHash, IReadOnlyList<AcceptItem> Items);
