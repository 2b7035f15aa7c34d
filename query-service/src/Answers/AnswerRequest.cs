using System.Text.Json;
using Optiks.Native;
using Optiks.QueryService.Following;

namespace Optiks.QueryService.Answers;

/// <summary>One request whose answer has VRF proofs, while it is being answered. Not thread-safe.</summary>
/// <param name="Position">How far the client has seen the log.</param>
/// <param name="Type">Media type of the answer.</param>
/// <param name="UsesCache">
/// Whether the cache of VRF proofs is used. If false, all proofs are computed, and none is added to the cache.
/// </param>
/// <param name="Lease">Counts the memory of the answer, which is disposed of before the lease.</param>
internal abstract record AnswerRequest(ClientPosition Position, string Type, bool UsesCache, AnswerLease Lease)
{
    /// <summary>The state of the log that the request asks about.</summary>
    public AskedState State { get; init; }

    /// <summary>The name in metrics.</summary>
    public abstract string Name { get; }

    /// <summary>The number of keys or users that the request asks about.</summary>
    public abstract int Count { get; }

    /// <summary>
    /// The cost of the proofs, in lookups of a key. If <see cref="IsTriedAtOnce"/> is true, the cost is known only after
    /// <see cref="TryWriteAtOnce"/> was called.
    /// </summary>
    public abstract int Cost { get; }

    /// <summary>The greatest length of the answer.</summary>
    public abstract int MaxLength { get; }

    /// <summary>Writes the JSON form of an answer that is given in its binary form.</summary>
    public abstract Action<Utf8JsonWriter, ReadOnlyMemory<byte>> WriteJson { get; }

    /// <summary>Whether <see cref="TryWriteAtOnce"/> is called before the request enters the queue of proofs.</summary>
    public abstract bool IsTriedAtOnce { get; }

    /// <summary>
    /// Writes the part of the answer that follows the head, from cached proofs. Returns false, with nothing written, when a proof is not
    /// cached. Throws <see cref="ServiceDefaults.ProblemException"/>.
    /// </summary>
    public abstract bool TryWriteAtOnce(ServedEpoch epoch, PooledWriter answer);

    /// <summary>Adds the proofs that <see cref="Write"/> will need to a batch.</summary>
    public abstract void AddTo(ProofBatch proofs);

    /// <summary>
    /// Writes the part of the answer that follows the head, with the proofs of a batch of this epoch. Throws
    /// <see cref="ServiceDefaults.ProblemException"/>.
    /// </summary>
    public abstract void Write(ServedEpoch epoch, ProofBatch proofs, PooledWriter answer);
}
