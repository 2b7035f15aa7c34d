using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>VersionsExchange asks for one page of a key's versions: history, or an owner's monitoring.</summary>
internal sealed class VersionsExchange : VerifiedExchange<VersionsExchange.Page>
{
    private readonly KeyName _key;
    private readonly bool _monitor;
    private readonly KnownKey _start;
    private readonly Func<ClientState, Page, VerifiedHead, ClientState?> _remember;

    /// <summary>From the version after <paramref name="start"/>'s on. What a page teaches is remembered by the caller's function.</summary>
    public VersionsExchange(KeyName key, bool monitor, KnownKey start, Func<ClientState, Page, VerifiedHead, ClientState?> remember)
    {
        _key = key;
        _monitor = monitor;
        _start = start;
        _remember = remember;
    }

    public override string Path => _monitor ? "/v1/monitor" : "/v1/history";

    public override string MediaType => _monitor ? MediaTypes.Monitor : MediaTypes.History;

    public override bool NeedsAuthorization => true;

    public override byte[] Body(ClientState seen) => QueryList.Encode([new Query(_key.Octets, 0, _start.Version + 1)]);

    public override Checked<Page> Verify(VerifierContext context, ClientState seen, ReadOnlyMemory<byte> answer)
    {
        using var keys = new ByteStrings(1);
        keys.Add(_key.Octets.Span);
        KnownKey known = _start with { LeastEpoch = Math.Max(_start.LeastEpoch, seen.LeastEpoch(_key.Id)) };
        VersionsVerdict verdict = Verifier.Versions(context, keys, [known], answer.Span);
        if (verdict.Reason != Reason.Valid)
        {
            return new(verdict.Reason, null, null, verdict.FailedKey);
        }
        VerifiedVersions shown = verdict.Keys[0];
        var versions = shown.Members
            .Select(member => new TimedVersion(new KeyVersion(member.Version, member.LeafEpoch, member.Value is { } range ? answer[range].ToArray() : default(ReadOnlyMemory<byte>?)), member.Time))
            .ToList();
        return new(Reason.Valid, verdict.Head, new Page(shown.Version, versions, shown.Complete, verdict.Head!.Period), null);
    }

    public override ClientState? Remember(ClientState seen, ClientState current, VerifiedHead head, Page learnt) => _remember(current, learnt, head);

    /// <summary>Page of verified versions.</summary>
    /// <param name="Latest">Latest version that the answer claims; shown once complete.</param>
    /// <param name="Versions">Those from the one asked for on.</param>
    /// <param name="Complete">False: there are more.</param>
    /// <param name="Period">Period of the versions.</param>
    internal sealed record Page(ulong Latest, IReadOnlyList<TimedVersion> Versions, bool Complete, ulong Period);

    /// <summary>TimedVersion is a version with its time T.</summary>
    internal sealed record TimedVersion(KeyVersion Version, ulong Time);
}
