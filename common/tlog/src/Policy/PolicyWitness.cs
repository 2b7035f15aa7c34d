namespace Optiks.Tlog;

/// <summary>
/// Describes a witness that a policy knows. The name by which the policy's groups refer to the witness has no meaning elsewhere.
/// </summary>
/// <param name="Key">The witness's key, of type 0x04.</param>
/// <param name="Url">The submission prefix (C2SP tlog-witness) in the policy; null if the policy gives none.</param>
public sealed record PolicyWitness(VerifierKey Key, string? Url);
