namespace Optiks.Tlog;

/// <summary>
/// Verifies RFC 8032 Ed25519 signatures. Implementations are thread-safe. The interface exists because .NET does not implement Ed25519.
/// </summary>
public interface IEd25519Verifier
{
    /// <summary>
    /// Returns whether a signature (64 bytes) by a public key (32 bytes) covers a message. It must return false, not throw, for a key that
    /// is not a point or is of small order, and for a non-canonical S. All inputs are public.
    /// </summary>
    bool Verify(ReadOnlySpan<byte> publicKey, ReadOnlySpan<byte> message, ReadOnlySpan<byte> signature);
}
