using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>LookupExchange asks for the latest values of up to 256 keys, without what this client knows already.</summary>
internal sealed class LookupExchange : VerifiedExchange<LookupExchange.KeyAnswer[]>
{
    private readonly IReadOnlyList<KeyName> _keys;
    private readonly IClientStateStore _store;
    private readonly KnownKey[] _known;
    private readonly byte[]?[] _values;

    public LookupExchange(IReadOnlyList<KeyName> keys, IClientStateStore store)
    {
        _keys = keys;
        _store = store;
        _known = new KnownKey[keys.Count];
        _values = new byte[]?[keys.Count];
    }

    public override string Path => "/v1/lookup";

    public override string MediaType => MediaTypes.Lookup;

    public override bool NeedsAuthorization => false;

    public override byte[] Body(ClientState seen)
    {
        var queries = new Query[_keys.Count];
        for (int i = 0; i < queries.Length; i++)
        {
            queries[i] = new Query(_keys[i].Octets, 0, 0);
            _known[i] = default;
            _values[i] = null;
            if (!seen.Keys.TryGetValue(_keys[i].Id, out KeyState? state))
            {
                continue;
            }
            // A version is known only while its value is at hand; otherwise the full proof is asked for again.
            _values[i] = state.ValueSha256 is null ? null : _store.FindValue(state.ValueSha256);
            _known[i] = state.Version == 0 || _values[i] is not null
                ? new KnownKey(state.LeastEpoch, state.Period, state.Version, state.Time, state.AbsentEpoch)
                : new KnownKey(state.LeastEpoch, 0, 0, 0, null);
            if (_known[i].Version > 0)
            {
                queries[i] = new Query(_keys[i].Octets, _known[i].Period, _known[i].Version);
            }
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
        LookupVerdict verdict = Verifier.Lookup(context, keys, _known, answer.Span);
        if (verdict.Reason != Reason.Valid)
        {
            return new(verdict.Reason, null, null, verdict.FailedKey);
        }
        var answers = new KeyAnswer[_keys.Count];
        for (int i = 0; i < answers.Length; i++)
        {
            VerifiedLookup lookup = verdict.Keys[i];
            seen.Keys.TryGetValue(_keys[i].Id, out KeyState? before);
            bool unchanged = lookup.Version > 0 && lookup.Value is null;
            byte[]? value = unchanged ? _values[i] : lookup.Value is { } range ? answer[range].ToArray() : null;
            var after = new KeyState
            {
                LeastEpoch = verdict.Head!.Epoch,
                Period = verdict.Head.Period,
                Version = lookup.Version,
                Time = lookup.Time,
                AbsentEpoch = verdict.Head.Epoch,
                PublishedEpoch = unchanged ? before!.PublishedEpoch : lookup.LeafEpoch,
                ValueSha256 = unchanged ? before!.ValueSha256 : value is null ? null : ValueHash.Of(value),
            };
            if (before is not null && StepsBack(before, after))
            {
                return new(Reason.VersionRegressed, null, null, i);
            }
            answers[i] = new KeyAnswer(after, value, unchanged);
        }
        return new(Reason.Valid, verdict.Head, answers, null);
    }

    public override ClientState? Remember(ClientState seen, ClientState current, VerifiedHead head, KeyAnswer[] learnt)
    {
        ClientState next = current;
        for (int i = 0; i < learnt.Length; i++)
        {
            string id = _keys[i].Id;
            if (current.Keys.GetValueOrDefault(id) != seen.Keys.GetValueOrDefault(id))
            {
                return null;
            }
            if (current.Keys.GetValueOrDefault(id) != learnt[i].After)
            {
                next = next with { Keys = next.Keys.SetItem(id, learnt[i].After) };
            }
        }
        return next;
    }

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

    // The verifier sees this by itself when the known version was offered; it was not when the value was lost.
    private static bool StepsBack(KeyState before, KeyState after) =>
        before.Period == after.Period
        && (after.Version < before.Version
            || (after.Version == before.Version && (after.Time != before.Time || after.ValueSha256 != before.ValueSha256)));

    /// <summary>KeyAnswer is what was verified of one key.</summary>
    internal sealed record KeyAnswer(KeyState After, byte[]? Value, bool Unchanged);
}
