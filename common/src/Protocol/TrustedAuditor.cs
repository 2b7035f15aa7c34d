using Optiks.Tlog;

namespace Optiks.Protocol;

/// <summary>Describes an auditor of a client's policy.</summary>
/// <param name="Key">The auditor's public key, whose signature type is 0x04.</param>
/// <param name="FirstEpoch">The first epoch of the log that the auditor covers. This epoch never changes, and the auditor does not sign it
/// (docs/spec/auditing.md section 1).</param>
public sealed record TrustedAuditor(VerifierKey Key, ulong FirstEpoch);
