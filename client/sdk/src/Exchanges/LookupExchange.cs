using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// Requests the latest values of up to 256 keys. The answer leaves out the proofs and values that this client already has.
/// </summary>
internal sealed class LookupExchange : VerifiedExchange<LookupExchange.KeyAnswer[]>
{
    private readonly IReadOnlyList<KeyName> _keys;
    private readonly TrustPolicy _policy;
    private readonly IClientStateStore _store;
    private readonly KnownVersion[] _remembered;
    private ulong? _provenFrom;

    public LookupExchange(IReadOnlyList<KeyName> keys, TrustPolicy policy, IClientStateStore store)
    {
        _policy = policy;
        _keys = keys;
        _store = store;
        _remembered = new KnownVersion[keys.Count];
    }

    public override string Path => "/v1/lookup";

    public override string MediaType => MediaTypes.Lookup;

    public override int MaxLength => 5 << 20;

    public override bool NeedsAuthorization => false;

    public override bool MayBeOfRecentEpoch => LeastEpoch == 0;

    public override ulong? ProvenFrom => _provenFrom;

    public override byte[] Body(ClientState seen)
    {
        var queries = new Query[_keys.Count];
        var coverage = new Coverage(_policy, seen.Cosigners);
        _provenFrom = null;
        for (int i = 0; i < queries.Length; i++)
        {
            Seen? kept = seen.SeenOf(Chain(i));
            _remembered[i] = KnownVersion.Of(kept, coverage, _store);
            KnownKey known = _remembered[i].Known;
            _provenFrom = known.Version > 0 ? Math.Min(_provenFrom ?? ulong.MaxValue, kept!.At.ProvenEpoch ?? 0) : _provenFrom;
            queries[i] = known.Version > 0 ? new Query(_keys[i].Octets, known.Period, known.Version) : new Query(_keys[i].Octets, 0, 0);
        }
        return QueryList.Encode(queries);
    }

    public override Checked<KeyAnswer[]> Verify(VerifierContext context, ClientState seen, ReadOnlyMemory<byte> answer)
    {
        using var keys = new ByteStrings(_keys.Count);
        foreach (KeyName key in _keys)
        {
            keys.Add(key.Octets.Span);
        }
        LookupVerdict verdict = Verifier.Lookup(context, keys, [.. _remembered.Select(key => key.Known)], answer.Span);
        if (verdict.Reason != Reason.Valid)
        {
            return new(verdict.Reason, null, null, verdict.FailedKey);
        }
        var answers = new KeyAnswer[_keys.Count];
        for (int i = 0; i < answers.Length; i++)
        {
            VerifiedLookup lookup = verdict.Keys[i];
            bool unchanged = lookup.Version > 0 && lookup.Value is null;
            byte[]? value = unchanged ? _remembered[i].Value : lookup.Value is { } range ? answer[range].ToArray() : null;
            Seen? before = seen.SeenOf(Chain(i));
            if (!LearnRules.TryLearn(before, seen.OwnOf(Chain(i))?.At, lookup, value, verdict.Head!.Period, verdict.Head.Epoch,
                verdict.Head.Epoch, out Seen after, out Reason reason))
            {
                return new(reason, null, null, i);
            }
            // If the server left out proofs, the client had already verified these proofs at the epoch of the last answer that had all
            // proofs.
            ulong? proven = _remembered[i].Known.Version > 0 ? before!.At.ProvenEpoch : verdict.Head.Epoch;
            answers[i] = new KeyAnswer(after with { At = after.At with { ProvenEpoch = proven } }, value, unchanged);
        }
        return new(Reason.Valid, verdict.Head, answers, null);
    }

    public override IReadOnlyList<LeafStatement> Leaves(ClientState seen, ReadOnlyMemory<byte> answer)
    {
        if (!_keys.Any(key => seen.OwnOf(StructureKey.OfKey(key.Id)) is not null))
        {
            return [];
        }
        LookupAnswer shown = LookupAnswer.Decode(answer);
        var leaves = new ShownLeaves(shown.Head, seen.Head?.Checkpoint);
        for (int i = 0; i < Math.Min(_keys.Count, shown.Lookups.Count); i++)
        {
            // The client's knowledge of a version holds only for the period of that version. So a server lies if it leaves out proofs of
            // another period because of that knowledge.
            bool isKnown = _remembered[i].Known.Period == EpochRecord.ReadPeriod(shown.Head.Record.Span);
            leaves.Add(StructureId.Keys, _keys[i].Octets, shown.Lookups[i], isKnown ? _remembered[i].Known.Version : 0);
        }
        return leaves.Found;
    }

    public override ClientState? Remember(ClientState seen, ClientState current, VerifiedHead head, KeyAnswer[] learnt)
    {
        ClientState next = current;
        for (int i = 0; i < learnt.Length; i++)
        {
            if (current.SeenOf(Chain(i)) != seen.SeenOf(Chain(i)))
            {
                return null;
            }
            next = next.SetSeen(Chain(i), learnt[i].After);
        }
        return next;
    }

    public override IEnumerable<Believed> Shown(KeyAnswer[] learnt) =>
        learnt.Select((answer, i) => new Believed(_keys[i].Id, answer.After.At.Version, answer.After.At.ValueSha256));

    public override IReadOnlyCollection<ReadOnlyMemory<byte>> Values(KeyAnswer[] learnt)
    {
        var values = new List<ReadOnlyMemory<byte>>();
        foreach (KeyAnswer answer in learnt)
        {
            if (answer.Value is not null && !answer.Unchanged)
            {
                values.Add(answer.Value);
            }
        }
        return values;
    }

    private StructureKey Chain(int index) => StructureKey.OfKey(_keys[index].Id);

    /// <summary>The verified part of a lookup answer that is about one of the keys.</summary>
    internal sealed record KeyAnswer(Seen After, byte[]? Value, bool Unchanged);
}
