namespace Optiks.Client;

/// <summary>AuditProgress is reported after each proof, once the state is on disk.</summary>
/// <param name="FirstEpoch">Where the auditor's coverage begins.</param>
/// <param name="Epoch">Last epoch verified.</param>
/// <param name="Target">Last epoch of the checkpoint that is being followed.</param>
/// <param name="ProofOctets">Octets of proofs in this call so far.</param>
public sealed record AuditProgress(ulong FirstEpoch, ulong Epoch, ulong Target, long ProofOctets);
