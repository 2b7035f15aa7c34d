namespace Optiks.Storage;

/// <summary>A request's row as it is stored.</summary>
/// <param name="Sequence">Order of acceptance.</param>
/// <param name="RequestId">The client's id.</param>
/// <param name="BodyHash">Hash of the request's content, 32 bytes.</param>
public sealed record StoredRequest(long Sequence, Guid RequestId, ReadOnlyMemory<byte> BodyHash);
