namespace Optiks.Tlog;

/// <summary>
/// Describes a witness in a policy. The witness's name in the policy is not included, because only the policy's groups use it.
/// </summary>
/// <param name="Key">The witness's key, of type 0x04.</param>
/// <param name="Url">The submission prefix (C2SP tlog-witness) that the policy gives for the witness; null if it gives no URL.</param>
public sealed record PolicyWitness(VerifierKey Key, string? Url);
