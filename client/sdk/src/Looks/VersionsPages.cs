using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// Collects the verified contents of the answers to one question about the versions of a subject, and returns the next question until an
/// answer ends all lists of versions (docs/spec/user-monitor.md section 5). A derived class knows the question and how to decode its
/// answers. Not thread-safe.
/// </summary>
internal abstract class VersionsPages
{
    private readonly Dictionary<StructureKey, Collected> _chains = [];

    protected VersionsPages(StructureKey subject)
    {
        Subject = subject;
    }

    /// <summary>The chain of the key or of the device list in question.</summary>
    public StructureKey Subject { get; }

    /// <summary>The path of the request.</summary>
    public abstract string Path { get; }

    /// <summary>The media type of the answer.</summary>
    public abstract string MediaType { get; }

    /// <summary>The media type of the request's body.</summary>
    public abstract string BodyMediaType { get; }

    /// <summary>The greatest length of an answer in octets, without one value.</summary>
    public abstract int MaxLength { get; }

    /// <summary>The body of the request for the next page.</summary>
    public abstract byte[] Body { get; }

    /// <summary>The record of the last epoch of the period in question; empty for the current period.</summary>
    public ReadOnlyMemory<byte> EndedRecord { get; init; }

    /// <summary>
    /// The end states with which the copies at the start of the period are compared; empty unless the question is step 2 of a hand-over.
    /// </summary>
    public IReadOnlyDictionary<StructureKey, EndState> Ends { get; init; } = new Dictionary<StructureKey, EndState>();

    /// <summary>
    /// The next answer may leave out proofs that earlier answers had. Auditors must then cover all epochs from this epoch on. Null if the
    /// next answer leaves out nothing.
    /// </summary>
    public ulong? Proven { get; protected set; }

    /// <summary>
    /// Whether the question asks for all versions of the period again, although earlier monitoring answers showed some of them.
    /// </summary>
    public bool IsShownAgain { get; init; }

    /// <summary>The number of pages read.</summary>
    public int Count { get; private set; }

    /// <summary>The number of octets of all pages read.</summary>
    public long Octets { get; private set; }

    /// <summary>The epoch of the last page; the client refuses a later page of an earlier epoch.</summary>
    public ulong Epoch { get; private set; }

    /// <summary>Verifies an answer to the question.</summary>
    public abstract VerifiedPage Verify(VerifierContext context, ClientState seen, ReadOnlyMemory<byte> answer);

    /// <summary>Returns the statements of an answer about leaves. Throws <see cref="EncodingException"/> if it does not decode.</summary>
    public abstract IReadOnlyList<LeafStatement> Leaves(ClientState seen, ReadOnlyMemory<byte> answer);

    /// <summary>Adds a page that does not complete the result.</summary>
    public void Add(VersionsPage page)
    {
        Count++;
        Octets += page.Octets;
        Epoch = page.Epoch;
        Proven = Math.Min(Proven ?? page.Epoch, page.Epoch);
        Collect(page, _chains);
        GoOn(page);
    }

    /// <summary>Returns the result that the last answer completes.</summary>
    public ShownVersions End(VersionsPage last)
    {
        // Work on copies and leave the collected pages unchanged, because the client may have to request the last answer again.
        var chains = last.HasLeft
            ? []
            : _chains.ToDictionary(chain => chain.Key, chain => chain.Value with { Versions = new(chain.Value.Versions) });
        Collect(last, chains);
        return new ShownVersions(
            Subject, last.Epoch, last.Period,
            chains.ToDictionary(
                chain => chain.Key,
                chain => new ShownChain(
                    new EndedVersions(chain.Value.Latest, chain.Value.Time, [.. chain.Value.Versions.Values]), chain.Value.Epoch,
                    chain.Value.Handover)))
        {
            LatestList = last.KeptList,
            Proven = Math.Min(Proven ?? last.Epoch, last.Epoch),
            IsShownAgain = IsShownAgain,
        };
    }

    /// <summary>Changes the question so that it asks for what follows a page.</summary>
    protected abstract void GoOn(VersionsPage page);

    /// <summary>Returns what the question says about the versions of a chain.</summary>
    protected abstract KnownKey KnownOf(StructureKey chain);

    /// <summary>Returns what the next question says about the versions of a chain after a page, which may or may not end them.</summary>
    protected KnownKey KnownAfter(VersionsPage page, ChainPage chain)
    {
        KnownKey before = KnownOf(chain.Chain);
        (ulong version, ulong time) = chain.Versions is [.., { } last] ? (last.Version.Version, last.Time) : (before.Version, before.Time);
        return chain.Complete
            ? new KnownKey(0, page.Period, version, time, page.Epoch)
            : new KnownKey(0, page.Period, version, time, null, chain.Latest);
    }

    private void Collect(VersionsPage page, Dictionary<StructureKey, Collected> chains)
    {
        foreach (ChainPage chain in page.Chains)
        {
            Collected collected = chains.GetValueOrDefault(chain.Chain) ?? new Collected(0, 0, 0, null, []);
            foreach (TimedVersion version in chain.Versions)
            {
                collected.Versions[version.Version.Version] = version;
            }
            chains[chain.Chain] = collected with
            {
                Latest = chain.Latest,
                Time = KnownAfter(page, chain).Time,
                Epoch = page.Epoch,
                Handover = collected.Handover ?? chain.Handover,
            };
        }
    }

    private sealed record Collected(
        ulong Latest, ulong Time, ulong Epoch, Reason? Handover, SortedDictionary<ulong, TimedVersion> Versions);
}
