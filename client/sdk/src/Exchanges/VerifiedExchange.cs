using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>One kind of verified question: builds the request, verifies the answer, and computes the new state.</summary>
internal abstract class VerifiedExchange<T>
{
    /// <summary>The path of the request, below the URL of the query-service.</summary>
    public abstract string Path { get; }

    /// <summary>The media type of the answer.</summary>
    public abstract string MediaType { get; }

    /// <summary>The media type of the request's body.</summary>
    public virtual string BodyMediaType => MediaTypes.Query;

    /// <summary>Whether the client sends its API key or token with the request.</summary>
    public abstract bool NeedsAuthorization { get; }

    /// <summary>
    /// Whether the client repeats the request with the API key or token after a server has refused the request because it had no
    /// credential.
    /// </summary>
    public virtual bool MayAuthorize => false;

    /// <summary>The least epoch that the caller accepts, in addition to the least epoch in the state.</summary>
    public ulong LeastEpoch { get; init; }

    /// <summary>The rest of the URL's query, after the checkpoint's size, such as <c>&amp;period=3</c>.</summary>
    public virtual string Query => "";

    /// <summary>
    /// The record of the last epoch of the period in question; empty for the current period (docs/spec/periods.md section 5).
    /// </summary>
    public virtual ReadOnlyMemory<byte> EndedRecord => default;

    /// <summary>
    /// Whether the question names facts that are true in only one period. If the log begins another period, the caller must ask a new
    /// question (<see cref="Outcome{T}.IsOvertaken"/>).
    /// </summary>
    public virtual bool IsOfOnePeriod => false;

    /// <summary>Whether the answer itself proves the steps from the period of the kept record to the period of the head.</summary>
    public virtual bool FollowsPeriods => false;

    /// <summary>Returns the body of the request; null if it has no body.</summary>
    public abstract byte[]? Body(ClientState seen);

    /// <summary>
    /// The greatest length of an answer in octets, not counting one value of a key; the caller adds room for one value. The length is the
    /// bound of docs/spec/rest.md section 4 plus room for the head. The client refuses a longer answer while it arrives.
    /// </summary>
    public virtual int MaxLength => 64 << 20;

    /// <summary>Verifies an answer. It does not change the state.</summary>
    public abstract Checked<T> Verify(VerifierContext context, ClientState seen, ReadOnlyMemory<byte> answer);

    /// <summary>
    /// Returns, from an answer that was refused as a fork, the record that differs from the kept record of the same epoch. The answer must
    /// decode.
    /// </summary>
    public virtual ReadOnlyMemory<byte> ContradictingRecord(ReadOnlyMemory<byte> answer, ReadOnlySpan<byte> kept) =>
        Heads.Peek(answer).Record;

    /// <summary>
    /// Returns the statements of an answer, accepted or refused, about leaves that may belong to an owner's keys or users
    /// (docs/spec/broken-append.md section 5). Throws <see cref="EncodingException"/> if the answer does not decode.
    /// </summary>
    /// <param name="seen">The client's state when it asked.</param>
    /// <param name="answer">The answer.</param>
    public virtual IReadOnlyList<LeafStatement> Leaves(ClientState seen, ReadOnlyMemory<byte> answer) => [];

    /// <summary>
    /// Returns <paramref name="current"/> with the facts that the answer proved. Returns null if the answer was verified against other
    /// facts (those of <paramref name="seen"/>) than <paramref name="current"/> now has.
    /// </summary>
    public abstract ClientState? Remember(ClientState seen, ClientState current, VerifiedHead head, T learnt);

    /// <summary>
    /// Whether the client may accept an answer of an earlier, still recent epoch if the witnesses have not yet cosigned the newest epoch.
    /// </summary>
    public virtual bool MayBeOfRecentEpoch => false;

    /// <summary>
    /// The earliest epoch of the earlier answers in which the client verified the proofs that this answer leaves out; null if the answer
    /// leaves out no proof.
    /// </summary>
    public virtual ulong? ProvenFrom => null;

    /// <summary>Returns the claims of an answer that the client believes and that auditors must cover later.</summary>
    public virtual IEnumerable<Believed> Shown(T learnt) => [default];

    /// <summary>
    /// Tells whether a valid answer shows every value that it is about. A missing value may have been erased, so that no replica can show
    /// it. Or this replica may withhold the value.
    /// </summary>
    public virtual bool IsWhole(T learnt) => true;

    /// <summary>
    /// Tells whether one valid answer (<paramref name="learnt"/>) shows a value that another valid answer (<paramref name="than"/>) does
    /// not show.
    /// </summary>
    public virtual bool ShowsMore(T learnt, T than) => false;

    /// <summary>Returns the values that the client must store, because the new state names them only by their hashes.</summary>
    public virtual IReadOnlyCollection<ReadOnlyMemory<byte>> Values(T learnt) => [];
}
