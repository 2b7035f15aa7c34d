using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>One kind of verified question: how to ask, how to verify, what to remember.</summary>
internal abstract class VerifiedExchange<T>
{
    /// <summary>The path below the query-service.</summary>
    public abstract string Path { get; }

    /// <summary>The media type of the answer.</summary>
    public abstract string MediaType { get; }

    /// <summary>The media type of the request's body.</summary>
    public virtual string BodyMediaType => MediaTypes.Query;

    /// <summary>Whether the API key or token goes with the request.</summary>
    public abstract bool NeedsAuthorization { get; }

    /// <summary>Whether the API key or token goes with the request once a server has refused it without.</summary>
    public virtual bool MayAuthorize => false;

    /// <summary>The least epoch on which the caller insists, in addition to the remembered one.</summary>
    public ulong LeastEpoch { get; init; }

    /// <summary>The query after the checkpoint's size, such as <c>&amp;period=3</c>.</summary>
    public virtual string Query => "";

    /// <summary>
    /// The record of the last epoch of the period in question; empty for the current period (docs/spec/periods.md section 5).
    /// </summary>
    public virtual ReadOnlyMemory<byte> EndedRecord => default;

    /// <summary>
    /// Whether the question names facts of one period. When the log begins another period, the caller must ask again
    /// (<see cref="Outcome{T}.IsOvertaken"/>).
    /// </summary>
    public virtual bool IsOfOnePeriod => false;

    /// <summary>Whether the answer itself proves the steps from the period of the kept record to that of the head.</summary>
    public virtual bool FollowsPeriods => false;

    /// <summary>Returns the body of the request; null if it has no body.</summary>
    public abstract byte[]? Body(ClientState seen);

    /// <summary>
    /// The greatest length of an answer in octets, without one value of a key: the bounds of docs/spec/rest.md section 4, with room for the
    /// head. A longer answer is refused while it arrives.
    /// </summary>
    public virtual int MaxLength => 64 << 20;

    /// <summary>Verifies an answer, without changing anything.</summary>
    public abstract Checked<T> Verify(VerifierContext context, ClientState seen, ReadOnlyMemory<byte> answer);

    /// <summary>
    /// Returns the record of an answer, refused as a fork, that differs from the kept record of its epoch. The answer must decode.
    /// </summary>
    public virtual ReadOnlyMemory<byte> ContradictingRecord(ReadOnlyMemory<byte> answer, ReadOnlySpan<byte> kept) => Heads.Peek(answer).Record;

    /// <summary>
    /// Returns the statements about leaves that may be an owner's in an answer, whether it was accepted or refused
    /// (docs/spec/broken-append.md section 5). Throws <see cref="EncodingException"/> if it does not decode.
    /// </summary>
    /// <param name="seen">State with which it was asked for.</param>
    /// <param name="answer">The answer.</param>
    public virtual IReadOnlyList<LeafStatement> Leaves(ClientState seen, ReadOnlyMemory<byte> answer) => [];

    /// <summary>
    /// Returns the state with what was learnt; null if the current state is no longer the one against which the answer was verified.
    /// </summary>
    public abstract ClientState? Remember(ClientState seen, ClientState current, VerifiedHead head, T learnt);

    /// <summary>Whether an epoch that a replica served recently is enough, if witnesses have not cosigned a later one yet.</summary>
    public virtual bool MayBeOfRecentEpoch => false;

    /// <summary>
    /// The epoch at which the proofs that this answer left out were verified, the first if there are several; null if it left out nothing.
    /// </summary>
    public virtual ulong? ProvenFrom => null;

    /// <summary>Returns what the client believes of an answer, and auditors must cover later.</summary>
    public virtual IEnumerable<Believed> Shown(T learnt) => [default];

    /// <summary>
    /// Tells whether a valid answer shows every value that it could. No replica shows an erased value, and a single replica may withhold a
    /// value.
    /// </summary>
    public virtual bool IsWhole(T learnt) => true;

    /// <summary>Tells whether a valid answer shows a value that another answer lists without showing it.</summary>
    public virtual bool ShowsMore(T learnt, T than) => false;

    /// <summary>Returns the values that the new state names.</summary>
    public virtual IReadOnlyCollection<ReadOnlyMemory<byte>> Values(T learnt) => [];
}
