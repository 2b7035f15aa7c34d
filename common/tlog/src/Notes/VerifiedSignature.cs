namespace Optiks.Tlog;

/// <summary>Holds a signature that a known key made.</summary>
/// <param name="Key">The key, one of the verifier's.</param>
/// <param name="Signature">The line.</param>
/// <param name="Timestamp">The time of a cosignature, in seconds since 1970 in UTC; null for a plain signature.</param>
public sealed record VerifiedSignature(VerifierKey Key, NoteSignature Signature, ulong? Timestamp);
