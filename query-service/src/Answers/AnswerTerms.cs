namespace Optiks.QueryService.Answers;

/// <summary>
/// Holds the terms of an answer with VRF proofs, which are the same for every kind of request. Not thread-safe.
/// </summary>
/// <param name="Position">The part of the log that the client has seen.</param>
/// <param name="State">The state of the log that the request asks about.</param>
/// <param name="Type">The media type of the answer.</param>
/// <param name="UsesCache">
/// Whether the answer uses the cache of VRF proofs. If false, the service computes all proofs and adds none of them to the cache.
/// </param>
/// <param name="Lease">The lease that counts the memory of the request's body and of its answer. The answer must be disposed of before the
/// lease.</param>
internal sealed record AnswerTerms(ClientPosition Position, AskedState State, string Type, bool UsesCache, AnswerLease Lease) : IDisposable
{
    /// <inheritdoc/>
    public void Dispose() => Lease.Dispose();
}
