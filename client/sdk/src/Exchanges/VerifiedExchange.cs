using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>VerifiedExchange is one kind of verified question: how to ask, how to verify, what to remember.</summary>
internal abstract class VerifiedExchange<T>
{
    /// <summary>Path below the query-service.</summary>
    public abstract string Path { get; }

    /// <summary>MediaType of the answer.</summary>
    public abstract string MediaType { get; }

    /// <summary>BodyMediaType of the request.</summary>
    public virtual string BodyMediaType => MediaTypes.Query;

    /// <summary>NeedsAuthorization: the API key or token goes with the request.</summary>
    public abstract bool NeedsAuthorization { get; }

    /// <summary>MayAuthorize: the API key or token goes with the request once a server refuses it without.</summary>
    public virtual bool MayAuthorize => false;

    /// <summary>LeastEpoch that the caller insists on beyond what is remembered.</summary>
    public ulong LeastEpoch { get; init; }

    /// <summary>Query after the checkpoint's size, such as <c>&amp;period=3</c>.</summary>
    public virtual string Query => "";

    /// <summary>EndedRecord of the last epoch of the period that is asked about; empty: the current one is (docs/spec/periods.md section 5).</summary>
    public virtual ReadOnlyMemory<byte> EndedRecord => default;

    /// <summary>IsOfOnePeriod: what is brought to the question is of one period. When the log begins another, the caller asks anew (<see cref="Outcome{T}.IsOvertaken"/>).</summary>
    public virtual bool IsOfOnePeriod => false;

    /// <summary>FollowsPeriods: the answer itself leads from the period of the kept record to that of the head.</summary>
    public virtual bool FollowsPeriods => false;

    /// <summary>Body of the request; null: there is none.</summary>
    public abstract byte[]? Body(ClientState seen);

    /// <summary>MaxLength of an answer in octets, besides one value of a key: those of docs/spec/rest.md section 4, with room for the head. What is longer is refused as it comes.</summary>
    public virtual int MaxLength => 64 << 20;

    /// <summary>Verifies an answer, without changing anything.</summary>
    public abstract Checked<T> Verify(VerifierContext context, ClientState seen, ReadOnlyMemory<byte> answer);

    /// <summary>ContradictingRecord of an answer that decodes and was refused as a fork, which differs from the kept one of its epoch.</summary>
    public virtual ReadOnlyMemory<byte> ContradictingRecord(ReadOnlyMemory<byte> answer, ReadOnlySpan<byte> kept) => Heads.Peek(answer).Record;

    /// <summary>Leaves that an answer about what may be an owner's shows, whether it was accepted or refused (docs/spec/broken-append.md section 5). Throws <see cref="EncodingException"/> for one that does not decode.</summary>
    /// <param name="seen">State with which it was asked for.</param>
    /// <param name="answer">The answer.</param>
    public virtual IReadOnlyList<LeafStatement> Leaves(ClientState seen, ReadOnlyMemory<byte> answer) => [];

    /// <summary>State with what was learnt; null when the current state is no longer the one that was verified against.</summary>
    public abstract ClientState? Remember(ClientState seen, ClientState current, VerifiedHead head, T learnt);

    /// <summary>MayBeOfRecentEpoch: one of the epochs that a replica served last will do, if witnesses have cosigned nothing later yet.</summary>
    public virtual bool MayBeOfRecentEpoch => false;

    /// <summary>ProvenFrom is the epoch at which proofs were verified that this answer left out, of several the first; null: it left out none.</summary>
    public virtual ulong? ProvenFrom => null;

    /// <summary>Shown is what of an answer is believed, and must be audited some day.</summary>
    public virtual IEnumerable<Believed> Shown(T learnt) => [default];

    /// <summary>IsWhole tells whether a valid answer shows every value that it could. One that was erased is shown by nobody, and one replica may withhold it.</summary>
    public virtual bool IsWhole(T learnt) => true;

    /// <summary>ShowsMore tells whether a valid answer shows a value that another one lists without it.</summary>
    public virtual bool ShowsMore(T learnt, T than) => false;

    /// <summary>Values that the new state names.</summary>
    public virtual IReadOnlyCollection<ReadOnlyMemory<byte>> Values(T learnt) => [];
}
