using Optiks.Tlog;

namespace Optiks.Protocol;

/// <summary>TrustedAuditor is an auditor of a client's policy.</summary>
/// <param name="Key">Its key, of type 0x04.</param>
/// <param name="FirstEpoch">First epoch of its coverage of the log, which never changes and which it does not sign (docs/spec/auditing.md section 1).</param>
public sealed record TrustedAuditor(VerifierKey Key, ulong FirstEpoch);
