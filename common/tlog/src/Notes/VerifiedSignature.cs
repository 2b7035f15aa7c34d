namespace Optiks.Tlog;

/// <summary>Holds a verified signature by a known key.</summary>
/// <param name="Key">The key that made the signature, which is one of the verifier's keys.</param>
/// <param name="Signature">The signature line.</param>
/// <param name="Timestamp">The time of a cosignature, in seconds since 1970 in UTC; null if the signature is not a cosignature.</param>
public sealed record VerifiedSignature(VerifierKey Key, NoteSignature Signature, ulong? Timestamp);
