using System.Text.Json;
using Optiks.Native;
using Optiks.QueryService.Following;

namespace Optiks.QueryService.Answers;

/// <summary>A request that is being answered and whose answer has VRF proofs. Not thread-safe.</summary>
/// <param name="Position">The part of the log that the client has seen.</param>
/// <param name="Type">The media type of the answer.</param>
/// <param name="UsesCache">
/// Whether the answer uses the cache of VRF proofs. If false, the service computes all proofs and adds none of them to the cache.
/// </param>
/// <param name="Lease">The lease that counts the answer's memory. The answer must be disposed of before the lease.</param>
internal abstract record AnswerRequest(ClientPosition Position, string Type, bool UsesCache, AnswerLease Lease)
{
    /// <summary>The state of the log that the request asks about.</summary>
    public AskedState State { get; init; }

    /// <summary>The name of this kind of request in metrics.</summary>
    public abstract string Name { get; }

    /// <summary>The number of keys or users that the request asks about.</summary>
    public abstract int Count { get; }

    /// <summary>
    /// The cost of the request's proofs, expressed as a number of lookups of one key. If <see cref="IsTriedAtOnce"/> is true, the cost is
    /// known only after a call of <see cref="TryWriteAtOnce"/>.
    /// </summary>
    public abstract int Cost { get; }

    /// <summary>The greatest allowed length of the answer in bytes.</summary>
    public abstract int MaxLength { get; }

    /// <summary>The function that writes an answer, given in its binary form, as JSON.</summary>
    public abstract Action<Utf8JsonWriter, ReadOnlyMemory<byte>> WriteJson { get; }

    /// <summary>Whether the service calls <see cref="TryWriteAtOnce"/> before the request enters the queue of proofs.</summary>
    public abstract bool IsTriedAtOnce { get; }

    /// <summary>
    /// Writes the part of the answer after the head, from cached proofs. If a proof is not cached, writes nothing and returns false. Throws
    /// <see cref="ServiceDefaults.ProblemException"/>.
    /// </summary>
    public abstract bool TryWriteAtOnce(ServedEpoch epoch, PooledWriter answer);

    /// <summary>Adds to a batch the proofs that <see cref="Write"/> will need.</summary>
    public abstract void AddTo(ProofBatch proofs);

    /// <summary>
    /// Writes the part of the answer after the head, with the proofs of a batch that was computed for this epoch. Throws
    /// <see cref="ServiceDefaults.ProblemException"/>.
    /// </summary>
    public abstract void Write(ServedEpoch epoch, ProofBatch proofs, PooledWriter answer);
}
