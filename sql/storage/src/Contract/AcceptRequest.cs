namespace Optiks.Storage;

/// <summary>One atomic request: either one epoch takes all its items, or no epoch takes any of them.</summary>
/// <param name="RequestId">The UUIDv7 with which the client names the request.</param>
/// <param name="BodyHash">Hash of the decoded content in canonical form, 32 bytes. Two JSON spellings of one request have the same
/// hash.</param>
/// <param name="Items">The request's items: 1 to <see cref="Limits.ItemsPerRequest"/> of them. No pair of structure and key occurs
/// twice.</param>
public sealed record AcceptRequest(Guid RequestId, ReadOnlyMemory<byte> BodyHash, IReadOnlyList<AcceptItem> Items);
