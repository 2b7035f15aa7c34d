namespace Optiks.Storage;

/// <summary>A request's row as it is stored.</summary>
/// <param name="Sequence">Order of acceptance.</param>
/// <param name="RequestId">The client's id.</param>
/// <param name="BodyHash">Hash of its content, 32 octets.</param>
public sealed record StoredRequest(long Sequence, Guid RequestId, ReadOnlyMemory<byte> BodyHash);
