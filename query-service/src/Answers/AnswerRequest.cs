using System.Text.Json;
using Optiks.Native;
using Optiks.QueryService.Following;

namespace Optiks.QueryService.Answers;

/// <summary>AnswerRequest is one request whose answer has VRF proofs, while it is answered. One thread at a time.</summary>
/// <param name="Position">How far the client has seen the log.</param>
/// <param name="Type">Media type of the answer.</param>
/// <param name="UsesCache">False: all VRF proofs are made, whatever is cached, and none is cached.</param>
/// <param name="Lease">Counts the memory of the answer, which is disposed before it.</param>
internal abstract record AnswerRequest(ClientPosition Position, string Type, bool UsesCache, AnswerLease Lease)
{
    /// <summary>State of the log that is asked about.</summary>
    public AskedState State { get; init; }

    /// <summary>Name in metrics.</summary>
    public abstract string Name { get; }

    /// <summary>Count of keys or users asked about.</summary>
    public abstract int Count { get; }

    /// <summary>Cost of its proofs, in lookups of a key; known once <see cref="TryWriteAtOnce"/> was called, if it is to be.</summary>
    public abstract int Cost { get; }

    /// <summary>MaxLength of the answer.</summary>
    public abstract int MaxLength { get; }

    /// <summary>Writes the JSON form of an answer in the binary one.</summary>
    public abstract Action<Utf8JsonWriter, ReadOnlyMemory<byte>> WriteJson { get; }

    /// <summary>Says that <see cref="TryWriteAtOnce"/> comes before the queue of proofs.</summary>
    public abstract bool IsTriedAtOnce { get; }

    /// <summary>Writes the answer behind its head from cached proofs; false, with nothing written, when one is not at hand. Throws <see cref="ServiceDefaults.ProblemException"/>.</summary>
    public abstract bool TryWriteAtOnce(ServedEpoch epoch, PooledWriter answer);

    /// <summary>Adds to a batch what <see cref="Write"/> will need.</summary>
    public abstract void AddTo(ProofBatch proofs);

    /// <summary>Writes the answer behind its head with the proofs of a batch of this epoch. Throws <see cref="ServiceDefaults.ProblemException"/>.</summary>
    public abstract void Write(ServedEpoch epoch, ProofBatch proofs, PooledWriter answer);
}
