namespace Optiks.Tlog;

/// <summary>PolicyVerdict is what a policy says of a checkpoint's cosignatures.</summary>
/// <param name="IsQuorumMet">Whether they are enough. Always so for a policy whose quorum is <c>none</c>.</param>
/// <param name="Counted">Cosignatures by witnesses of the policy, one a witness, in the policy's order.</param>
public sealed record PolicyVerdict(bool IsQuorumMet, IReadOnlyList<VerifiedSignature> Counted);
