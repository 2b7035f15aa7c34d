namespace Optiks.Tlog;

/// <summary>Holds a policy's verdict on a checkpoint's cosignatures.</summary>
/// <param name="IsQuorumMet">Whether the cosignatures meet the policy's quorum. It is always true for a policy with the line <c>quorum
/// none</c>.</param>
/// <param name="Counted">The cosignatures that count: at most one for each witness, in the policy's order of witnesses.</param>
public sealed record PolicyVerdict(bool IsQuorumMet, IReadOnlyList<VerifiedSignature> Counted);
