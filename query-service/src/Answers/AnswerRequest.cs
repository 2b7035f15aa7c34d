using System.Text.Json;
using Optiks.Native;
using Optiks.QueryService.Following;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Answers;

/// <summary>A request that is being answered and whose answer has VRF proofs. Not thread-safe.</summary>
/// <param name="Terms">The terms of the answer.</param>
internal abstract record AnswerRequest(AnswerTerms Terms)
{
    /// <summary>The name of this kind of request in metrics.</summary>
    public abstract string Name { get; }

    /// <summary>The number of keys or users that the request asks about.</summary>
    public abstract int Count { get; }

    /// <summary>
    /// The cost of the request's proofs, expressed as a number of lookups of one key. It is known after a call of
    /// <see cref="TryWriteAtOnce"/>.
    /// </summary>
    public abstract int Cost { get; }

    /// <summary>The greatest allowed length of the answer in bytes.</summary>
    public abstract int MaxLength { get; }

    /// <summary>The function that writes an answer, given in its binary form, as JSON.</summary>
    public abstract Action<Utf8JsonWriter, ReadOnlyMemory<byte>> WriteJson { get; }

    /// <summary>
    /// Determines what the answer costs, and writes the part of the answer after the head if all of its proofs are cached. The service
    /// calls this method before the request enters the queue of proofs.
    /// </summary>
    public abstract FirstTry TryWriteAtOnce(ServedEpoch epoch, PooledWriter answer);

    /// <summary>Adds to a batch the proofs that <see cref="Write"/> will need.</summary>
    public abstract void AddTo(ProofBatch proofs);

    /// <summary>
    /// Writes the part of the answer after the head, with the proofs of a batch that was computed for this epoch. Throws
    /// <see cref="ProblemException"/>.
    /// </summary>
    public abstract void Write(ServedEpoch epoch, ProofBatch proofs, PooledWriter answer);
}
