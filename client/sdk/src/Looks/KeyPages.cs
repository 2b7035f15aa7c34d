using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>Asks for the versions of one key, for a history or an owner's monitoring.</summary>
internal sealed class KeyPages : VersionsPages
{
    private readonly KeyName _key;
    private readonly bool _isMonitor;
    private KnownKey _after;

    /// <summary>Begins a question about the versions after a version; all versions by default.</summary>
    public KeyPages(KeyName key, bool isMonitor = false, KnownKey after = default)
        : base(StructureKey.OfKey(key.Id))
    {
        _key = key;
        _isMonitor = isMonitor;
        _after = after;
    }

    public override string Path => _isMonitor ? "/v1/monitor" : "/v1/history";

    public override string MediaType => _isMonitor ? MediaTypes.Monitor : MediaTypes.History;

    public override string BodyMediaType => MediaTypes.Query;

    public override int MaxLength => 9 << 20;

    public override byte[] Body => QueryList.Encode([new Query(_key.Octets, 0, _after.Version + 1)]);

    /// <summary>Begins the question of an owner (docs/spec/state.md section 3.2).</summary>
    /// <param name="key">The key.</param>
    /// <param name="seen">State of the client.</param>
    /// <param name="before">Record of the last epoch of the previous period, up to which the owner verified the key. If it is not null, the
    /// question is step 2 of the hand-over.</param>
    /// <param name="asked">Record of the last epoch of the period in question; null for the current period.</param>
    /// <param name="coverage">The auditors' coverage: the question requests versions again if an answer showed them before the coverage
    /// began.</param>
    public static KeyPages OfOwner(KeyName key, ClientState seen, EpochRecord? before, EpochRecord? asked, Coverage coverage)
    {
        var chain = StructureKey.OfKey(key.Id);
        if (before is not null)
        {
            // The key may belong to a device of a user who has left. The log makes no copy of such a key, so there is no copy to compare
            // with an end state.
            EndState? end = PersonRules.HasLeft(seen, key.Id) ? null : OwnRules.EndOf(seen.OwnOf(chain)!, before);
            return new KeyPages(key, isMonitor: true)
            {
                EndedRecord = asked?.Encode(),
                Ends = end is null ? new Dictionary<StructureKey, EndState>() : new() { [chain] = end },
                Proven = before.Epoch + 1,
            };
        }
        Cursor? at = (seen.OwnOf(chain) ?? OwnRules.NewKey(seen)).At;
        bool isKnown = at is not null && at.Period == (asked?.Period ?? seen.Head?.Period);
        // The client requests known versions again if auditors have not covered the epochs since an answer showed these versions.
        bool goesOn = isKnown && (at!.Version == 0 || coverage.MayLeaveOut(at.ProvenEpoch ?? 0));
        return new KeyPages(key, isMonitor: true, goesOn ? KnownVersion.BeforeOwner(at!) : default)
        {
            EndedRecord = asked?.Encode(),
            Proven = goesOn && at!.Version > 0 ? at.ProvenEpoch ?? 0 : null,
            IsShownAgain = isKnown && !goesOn,
        };
    }

    public override VerifiedPage Verify(VerifierContext context, ClientState seen, ReadOnlyMemory<byte> answer)
    {
        using var keys = new ByteStrings(1);
        keys.Add(_key.Octets.Span);
        // A question about a period that has ended names no least epoch of the state, because later epochs do not concern that period.
        KnownKey known = _after with { LeastEpoch = EndedRecord.IsEmpty ? Math.Max(Epoch, seen.LeastEpoch(_key.Id)) : Epoch };
        VersionsVerdict verdict = Verifier.Versions(context, keys, [known], answer.Span);
        return verdict.Reason == Reason.Valid
            ? new VerifiedPage(verdict.Reason, verdict.Head, [(Subject, verdict.Keys[0])])
            : new VerifiedPage(verdict.Reason, null, [], FailedKey: verdict.FailedKey);
    }

    public override IReadOnlyList<LeafStatement> Leaves(ClientState seen, ReadOnlyMemory<byte> answer)
    {
        if (!_isMonitor && seen.OwnOf(Subject) is null)
        {
            return [];
        }
        VersionsAnswer shown = VersionsAnswer.Decode(answer);
        var leaves = new ShownLeaves(shown.Head, seen.Head?.Checkpoint);
        foreach (Versions versions in shown.Versions.Take(1))
        {
            leaves.Add(StructureId.Keys, _key.Octets, versions);
        }
        return leaves.Found;
    }

    protected override void GoOn(VersionsPage page) => _after = KnownAfter(page, page.Chains[0]);

    protected override KnownKey KnownOf(StructureKey chain) => _after;
}
