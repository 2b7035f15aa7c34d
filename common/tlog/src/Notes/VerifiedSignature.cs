namespace Optiks.Tlog;

/// <summary>Holds a signature that a known key made.</summary>
/// <param name="Key">The key that made the signature, which is one of the verifier's keys.</param>
/// <param name="Signature">The signature line.</param>
/// <param name="Timestamp">The time of a cosignature, in seconds since 1970 in UTC; null for a plain signature.</param>
public sealed record VerifiedSignature(VerifierKey Key, NoteSignature Signature, ulong? Timestamp);
