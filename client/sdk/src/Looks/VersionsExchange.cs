using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>Asks for one page of the versions of a subject.</summary>
internal sealed class VersionsExchange : VerifiedExchange<VersionsExchange.Learnt>
{
    private readonly VersionsPages _pages;
    private readonly Func<ClientState, ShownVersions, ClientState> _remember;

    /// <param name="pages">The pages read so far.</param>
    /// <param name="remember">Applies the caller's changes to the state after a result, in addition to the changes that every answer
    /// makes.</param>
    public VersionsExchange(VersionsPages pages, Func<ClientState, ShownVersions, ClientState> remember)
    {
        _pages = pages;
        _remember = remember;
        LeastEpoch = pages.Epoch;
    }

    public override string Path => _pages.Path;

    public override string MediaType => _pages.MediaType;

    public override string BodyMediaType => _pages.BodyMediaType;

    public override string Query => EndedRecord.IsEmpty ? "" : $"&period={EpochRecord.ReadPeriod(EndedRecord.Span)}";

    public override int MaxLength => _pages.MaxLength;

    public override bool NeedsAuthorization => true;

    public override ReadOnlyMemory<byte> EndedRecord => _pages.EndedRecord;

    public override bool IsOfOnePeriod => true;

    public override ulong? ProvenFrom => _pages.Proven;

    public override byte[]? Body(ClientState seen) => _pages.Body;

    public override Checked<Learnt> Verify(VerifierContext context, ClientState seen, ReadOnlyMemory<byte> answer)
    {
        VerifiedPage verified = _pages.Verify(context, seen, answer);
        if (verified.Reason != Reason.Valid)
        {
            return new(verified.Reason, null, null, verified.FailedKey);
        }
        VerifiedHead head = verified.Head!;
        var page = new VersionsPage(
            head.Epoch, head.Period, [.. verified.Chains.Select(chain => Page(chain.Chain, chain.Versions, head, answer))],
            verified.KeptList, answer.Length);
        if (page.Chains.Any(chain => chain.Handover == Reason.HandoverPeriod))
        {
            return new(Reason.HandoverPeriod, null, null, null);
        }
        LearntVersions? result = null;
        // Compare the known versions with every page, because a known version may be on this page although another page ends the list.
        Reason reason = page.Complete
            ? LookRules.Learn(seen, _pages.End(page), out result)
            : page.Chains.Select(chain => LearnRules.Agree(
                seen.SeenOf(chain.Chain)?.At, seen.OwnOf(chain.Chain)?.At, chain.Versions, page.Period))
                .FirstOrDefault(one => one != Reason.Valid, Reason.Valid);
        return reason == Reason.Valid ? new(reason, head, new Learnt(page, result), null) : new(reason, null, null, null);
    }

    public override IReadOnlyList<LeafStatement> Leaves(ClientState seen, ReadOnlyMemory<byte> answer) => _pages.Leaves(seen, answer);

    public override ClientState? Remember(ClientState seen, ClientState current, VerifiedHead head, Learnt learnt)
    {
        if (learnt.Result is not { } result)
        {
            return current;
        }
        return LookRules.Remember(seen, current, result) is { } next ? _remember(next, result.Shown) : null;
    }

    // Only the last page claims latest versions that auditors must cover.
    public override IEnumerable<Believed> Shown(Learnt learnt) => learnt.Result is not { } result ? []
        : _pages.Subject.Structure != StructureId.Keys ? [default]
        : [new Believed(_pages.Subject.Id, result.Shown.Latest, result.Chains[_pages.Subject]!.At.ValueSha256)];

    public override IReadOnlyCollection<ReadOnlyMemory<byte>> Values(Learnt learnt) => learnt.Result?.Values ?? [];

    public override bool IsWhole(Learnt learnt) => learnt.Page.Chains.All(chain => TimedVersion.AreShown(chain.Versions));

    public override bool ShowsMore(Learnt learnt, Learnt than)
    {
        var chains = learnt.Page.Chains.ToDictionary(chain => chain.Chain, chain => chain.Versions);
        return than.Page.Chains.Any(chain => TimedVersion.ShowMore(chains.GetValueOrDefault(chain.Chain) ?? [], chain.Versions));
    }

    // If a copy differs from its end state, the fault is the log's and not this server's, so the client raises an alarm and continues. If
    // the answer is about another period, the client refuses the answer.
    private ChainPage Page(StructureKey chain, VerifiedVersions shown, VerifiedHead head, ReadOnlyMemory<byte> answer)
    {
        Reason? handover = shown.From == 1 && _pages.Ends.TryGetValue(chain, out EndState? end)
            ? Verifier.Handover(head, shown, end, answer.Span)
            : null;
        return new ChainPage(chain, shown.Version, TimedVersion.Of(shown, head.Period, answer), shown.Complete, handover);
    }

    /// <summary>A page, with the result that the page completes; the result is null if more pages follow.</summary>
    internal sealed record Learnt(VersionsPage Page, LearntVersions? Result);
}
