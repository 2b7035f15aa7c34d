namespace Optiks.Client;

/// <summary>Reports the progress of an audit. The auditor reports after each proof, once the new state is on disk.</summary>
/// <param name="FirstEpoch">The epoch at which the auditor's coverage begins.</param>
/// <param name="Epoch">Last epoch that the auditor has verified.</param>
/// <param name="Target">Last epoch of the checkpoint that the audit follows.</param>
/// <param name="ProofOctets">Number of octets of all proofs in this call so far.</param>
public sealed record AuditProgress(ulong FirstEpoch, ulong Epoch, ulong Target, long ProofOctets);
