using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// Asks only for the newest epoch, so that a client without a head gets a head before it changes anything (docs/spec/state.md section 3.2).
/// </summary>
internal sealed class HeadExchange : VerifiedExchange<VerifiedHead>
{
    public override string Path => "/v1/epochs/latest";

    public override string MediaType => MediaTypes.Head;

    public override int MaxLength => 1 << 18;

    public override bool NeedsAuthorization => false;

    public override byte[]? Body(ClientState seen) => null;

    // A head shows no key, so auditors need not cover this answer.
    public override IEnumerable<Believed> Shown(VerifiedHead learnt) => [];

    public override Checked<VerifiedHead> Verify(VerifierContext context, ClientState seen, ReadOnlyMemory<byte> answer)
    {
        HeadVerdict verdict = Verifier.VerifyHead(context, answer.Span);
        return new(verdict.Reason, verdict.Head, verdict.Head, null);
    }

    public override ClientState? Remember(ClientState seen, ClientState current, VerifiedHead head, VerifiedHead learnt) => current;
}
