using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>Asks for one page of a key's versions, for a history or an owner's monitoring.</summary>
internal sealed class VersionsExchange : VerifiedExchange<VersionsExchange.Page>
{
    private readonly KeyName _key;
    private readonly bool _monitor;
    private readonly KnownKey _start;
    private readonly Func<ClientState, Page, VerifiedHead, ClientState?> _remember;

    /// <summary>
    /// Asks for the versions after the version in the parameter <paramref name="start"/>. The caller's function <paramref name="remember"/>
    /// updates the state after a page. If <paramref name="endedRecord"/> is not empty, the question is about the period that ended with
    /// that record.
    /// </summary>
    public VersionsExchange(KeyName key, bool monitor, KnownKey start, Func<ClientState, Page, VerifiedHead, ClientState?> remember,
        ReadOnlyMemory<byte> endedRecord)
    {
        EndedRecord = endedRecord;
        _key = key;
        _monitor = monitor;
        _start = start;
        _remember = remember;
    }

    public override string Path => _monitor ? "/v1/monitor" : "/v1/history";

    public override string MediaType => _monitor ? MediaTypes.Monitor : MediaTypes.History;

    public override string Query => EndedRecord.IsEmpty ? "" : $"&period={EpochRecord.ReadPeriod(EndedRecord.Span)}";

    public override int MaxLength => 9 << 20;

    public override bool NeedsAuthorization => true;

    public override ReadOnlyMemory<byte> EndedRecord { get; }

    public override bool IsOfOnePeriod => true;

    /// <summary>
    /// The epoch at which an answer showed the versions before the first requested version; null if the client does not rely on such an
    /// answer.
    /// </summary>
    public ulong? Proven { get; init; }

    /// <summary>
    /// The end state of the previous period, with which the exchange compares a list that begins with version 1; null if there is no end
    /// state.
    /// </summary>
    public EndState? End { get; init; }

    private StructureKey Chain => StructureKey.OfKey(_key.Id);

    public override byte[]? Body(ClientState seen) => QueryList.Encode([new Query(_key.Octets, 0, _start.Version + 1)]);

    public override Checked<Page> Verify(VerifierContext context, ClientState seen, ReadOnlyMemory<byte> answer)
    {
        using var keys = new ByteStrings(1);
        keys.Add(_key.Octets.Span);
        // A question about a period that has ended names no least epoch of the state, because later epochs do not concern that period.
        KnownKey known = EndedRecord.IsEmpty ? _start with { LeastEpoch = Math.Max(_start.LeastEpoch, seen.LeastEpoch(_key.Id)) } : _start;
        VersionsVerdict verdict = Verifier.Versions(context, keys, [known], answer.Span);
        if (verdict.Reason != Reason.Valid)
        {
            return new(verdict.Reason, null, null, verdict.FailedKey);
        }
        VerifiedVersions shown = verdict.Keys[0];
        VerifiedHead head = verdict.Head!;
        IReadOnlyList<TimedVersion> versions = TimedVersion.Of(shown, head.Period, answer);
        var page = new Page(shown.Version, versions, shown.Complete, head.Period, null) { Octets = answer.Length };
        if (End is not null && shown.From == 1)
        {
            Reason handover = Verifier.Handover(head, shown, End, answer.Span);
            if (handover == Reason.HandoverPeriod)
            {
                return new(handover, null, null, null);
            }
            // If a copy differs from its end state, the fault is the log's and not this server's, so the client raises an alarm and
            // continues.
            page = page with { Handover = handover };
        }
        Seen? before = seen.SeenOf(Chain);
        Cursor? own = seen.OwnOf(Chain)?.At;
        if (!shown.Complete)
        {
            // Compare the version in the client's state on every page, because that version may be on this page although another page ends
            // the list.
            Reason agrees = LearnRules.Agree(before?.At, own, versions, head.Period);
            return agrees == Reason.Valid ? new(Reason.Valid, head, page, null) : new(agrees, null, null, null);
        }
        var ended = new EndedVersions(shown.Version, versions.Count > 0 ? versions[^1].Time : _start.Time, versions);
        Reason reason = LearnRules.Learn(before, own, ended, head.Period, head.Epoch, out Seen after);
        return reason == Reason.Valid ? new(reason, head, page with { After = after }, null) : new(reason, null, null, null);
    }

    public override IReadOnlyList<LeafStatement> Leaves(ClientState seen, ReadOnlyMemory<byte> answer)
    {
        if (!_monitor && seen.OwnOf(Chain) is null)
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

    public override ClientState? Remember(ClientState seen, ClientState current, VerifiedHead head, Page learnt)
    {
        if (learnt.After is not { } after)
        {
            return _remember(current, learnt, head);
        }
        // Discard the answer if another answer about the key was stored since the client compared this answer with the state.
        return current.SeenOf(Chain) != seen.SeenOf(Chain) ? null : _remember(current.SetSeen(Chain, after), learnt, head);
    }

    public override ulong? ProvenFrom => Proven;

    // Only the last page of a list claims a latest version that auditors must cover.
    public override IEnumerable<Believed> Shown(Page learnt) =>
        learnt.Complete ? [new Believed(_key.Id, learnt.Latest, learnt.After?.At.ValueSha256)] : [];

    public override bool IsWhole(Page learnt) => TimedVersion.AreShown(learnt.Versions);

    public override bool ShowsMore(Page learnt, Page than) => TimedVersion.ShowMore(learnt.Versions, than.Versions);

    public override IReadOnlyCollection<ReadOnlyMemory<byte>> Values(Page learnt) =>
        learnt.After is { } after && after.At.Period == learnt.Period && learnt.Versions.Count > 0
            && learnt.Versions[^1].Version.Value is { } value ? [value] : [];

    /// <summary>A page of verified versions.</summary>
    /// <param name="Latest">Latest version that the answer claims; proven once the list is complete.</param>
    /// <param name="Versions">The versions from the first requested version on.</param>
    /// <param name="Complete">Whether the list ends on this page; false if more versions follow.</param>
    /// <param name="Period">Period of the versions.</param>
    /// <param name="After">The facts to remember of the key; null until the list is complete.</param>
    internal sealed record Page(ulong Latest, IReadOnlyList<TimedVersion> Versions, bool Complete, ulong Period, Seen? After)
    {
        /// <summary>The number of octets of the answer.</summary>
        public int Octets { get; init; }

        /// <summary>
        /// The verdict of comparing the key's first version in the period with the key's end state in the previous period; null if they
        /// were not compared.
        /// </summary>
        public Reason? Handover { get; init; }
    }
}
