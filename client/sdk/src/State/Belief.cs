namespace Optiks.Client;

/// <summary>
/// An answer's claim that the client verified and believed before enough auditors covered the answer's epoch (docs/spec/cosigners.md
/// section 5).
/// </summary>
/// <param name="Epoch">Epoch that auditors must cover.</param>
/// <param name="RecordHash">Hash of the epoch's record, in base64url.</param>
/// <param name="BelievedAtMs">Time at which the client believed the answer, in Unix milliseconds.</param>
/// <param name="FromEpoch">
/// Epoch at which the client had verified the proofs that the answer left out; the same auditors must cover all steps from it to the epoch
/// in <paramref name="Epoch"/>. If the answer left out nothing, the two epochs are equal.
/// </param>
/// <param name="Key">The key or device of the answer, in base64url; null for an answer about several keys.</param>
/// <param name="Version">Version that the answer showed as the latest; 0 if it showed no version.</param>
/// <param name="ValueSha256">SHA-256 of the version's value in hexadecimal; null if there is no value.</param>
public sealed record Belief(
    ulong Epoch, string RecordHash, long BelievedAtMs, ulong FromEpoch, string? Key = null, ulong Version = 0, string? ValueSha256 = null);
