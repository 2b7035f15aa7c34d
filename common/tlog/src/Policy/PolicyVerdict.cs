namespace Optiks.Tlog;

/// <summary>Holds a policy's verdict on a checkpoint's cosignatures.</summary>
/// <param name="IsQuorumMet">Whether the cosignatures are enough; always true for a policy with the line <c>quorum none</c>.</param>
/// <param name="Counted">The cosignatures by witnesses of the policy, one for each witness, in the policy's order.</param>
public sealed record PolicyVerdict(bool IsQuorumMet, IReadOnlyList<VerifiedSignature> Counted);
