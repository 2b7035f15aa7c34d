namespace Optiks.Tlog;

/// <summary>VerifiedSignature is a signature that a known key made.</summary>
/// <param name="Key">The key, one of the verifier's.</param>
/// <param name="Signature">The line.</param>
/// <param name="Timestamp">Seconds since 1970 in UTC, of a cosignature; null for a plain signature.</param>
public sealed record VerifiedSignature(VerifierKey Key, NoteSignature Signature, ulong? Timestamp);
