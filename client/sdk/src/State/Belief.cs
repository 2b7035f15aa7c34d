namespace Optiks.Client;

/// <summary>
/// Something that the client verified and believed before enough auditors covered its epoch (docs/spec/cosigners.md section 5).
/// </summary>
/// <param name="Epoch">Epoch that has to be covered.</param>
/// <param name="RecordHash">Hash of its record, in base64url.</param>
/// <param name="BelievedAtMs">When it was believed, Unix milliseconds.</param>
/// <param name="FromEpoch">Epoch from which the same auditors must cover all steps, because the answer left out proofs that were verified
/// then. Otherwise the epoch itself.</param>
/// <param name="Key">Key or device in question, in base64url; null for several.</param>
/// <param name="Version">Version that was shown as the latest; 0 without a version.</param>
/// <param name="ValueSha256">SHA-256 of its value in hexadecimal; null without a value.</param>
public sealed record Belief(ulong Epoch, string RecordHash, long BelievedAtMs, ulong FromEpoch, string? Key = null, ulong Version = 0, string? ValueSha256 = null);
