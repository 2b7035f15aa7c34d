namespace Optiks.Tlog;

/// <summary>PolicyWitness is a witness that a policy knows. The name by which the policy's groups call it means nothing elsewhere.</summary>
/// <param name="Key">Its key, of type 0x04.</param>
/// <param name="Url">Submission prefix (C2SP tlog-witness), as the policy has it; null: it does not say.</param>
public sealed record PolicyWitness(VerifierKey Key, string? Url);
