namespace Optiks.Client;

/// <summary>Belief is something that was verified and believed before enough auditors covered its epoch (docs/spec/cosigners.md section 5).</summary>
/// <param name="Epoch">Epoch that has to be covered.</param>
/// <param name="RecordHash">Hash of its record, in base64url.</param>
/// <param name="BelievedAtMs">When it was believed, Unix milliseconds.</param>
/// <param name="FromEpoch">Epoch from which on the same auditors must cover all steps: proofs that were verified then were left out. Otherwise the epoch itself.</param>
/// <param name="Key">Key or device that it is about, in base64url; null: several things.</param>
/// <param name="Version">Version that was shown as the latest; 0: none.</param>
/// <param name="ValueSha256">SHA-256 of its value in hexadecimal; null: none.</param>
public sealed record Belief(ulong Epoch, string RecordHash, long BelievedAtMs, ulong FromEpoch, string? Key = null, ulong Version = 0, string? ValueSha256 = null);
