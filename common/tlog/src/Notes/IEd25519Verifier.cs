namespace Optiks.Tlog;

/// <summary>
/// Verifies RFC 8032 Ed25519 signatures. The interface exists because .NET does not implement Ed25519. Any thread may use an
/// implementation.
/// </summary>
public interface IEd25519Verifier
{
    /// <summary>
    /// Returns whether a signature (64 bytes) is a valid signature of the message by the public key (32 bytes). If the key is not a point
    /// or has a small order, or if S is not canonical, the method must return false and must not throw. All inputs are public.
    /// </summary>
    bool Verify(ReadOnlySpan<byte> publicKey, ReadOnlySpan<byte> message, ReadOnlySpan<byte> signature);
}
