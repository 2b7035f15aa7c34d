namespace Optiks.Storage;

/// <summary>AcceptRequest is one atomic request: all its items in one epoch, or none.</summary>
/// <param name="RequestId">The client's UUIDv7.</param>
/// <param name="BodyHash">Hash of the decoded content in canonical form, 32 octets: two spellings of one request have one hash.</param>
/// <param name="Items">1 to <see cref="Limits.ItemsPerRequest"/> items, no (structure, key) twice.</param>
public sealed record AcceptRequest(Guid RequestId, ReadOnlyMemory<byte> BodyHash, IReadOnlyList<AcceptItem> Items);
