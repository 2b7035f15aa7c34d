using Optiks.Tlog;

namespace Optiks.Native;

/// <summary>Makes and verifies Ed25519 signatures (RFC 8032) with the libsodium inside liboptiks. Any thread may use this class.</summary>
public static class Ed25519
{
    /// <summary>The length of a seed (the secret) in bytes.</summary>
    public const int SeedLength = 32;

    /// <summary>The length of a public key in bytes.</summary>
    public const int PublicKeyLength = 32;

    /// <summary>The length of a signature in bytes.</summary>
    public const int SignatureLength = 64;

    /// <summary>The object with which the code for signed notes verifies Ed25519 signatures.</summary>
    public static IEd25519Verifier Verifier { get; } = new NoteVerifier();

    /// <summary>Derives the public key of a seed.</summary>
    public static byte[] PublicKey(ReadOnlySpan<byte> seed)
    {
        Check.Length(seed, SeedLength);
        byte[] publicKey = new byte[PublicKeyLength];
        OptiksNativeException.ThrowIfFailed(Interop.optiks_ed25519_public(seed, publicKey), nameof(Interop.optiks_ed25519_public));
        return publicKey;
    }

    /// <summary>Signs a message. The signature is deterministic: the same seed and message always give the same bytes.</summary>
    public static byte[] Sign(ReadOnlySpan<byte> seed, ReadOnlySpan<byte> message)
    {
        Check.Length(seed, SeedLength);
        byte[] signature = new byte[SignatureLength];
        OptiksNativeException.ThrowIfFailed(
            Interop.optiks_ed25519_sign(seed, message, (nuint)message.Length, signature), nameof(Interop.optiks_ed25519_sign));
        return signature;
    }

    /// <summary>
    /// Verifies a signature strictly: requires canonical S and points, and refuses small-order keys. Returns false if the public key or the
    /// signature has a wrong length.
    /// </summary>
    public static bool Verify(ReadOnlySpan<byte> publicKey, ReadOnlySpan<byte> message, ReadOnlySpan<byte> signature)
    {
        if (publicKey.Length != PublicKeyLength || signature.Length != SignatureLength)
        {
            return false;
        }
        OptiksNativeException.ThrowIfFailed(
            Interop.optiks_ed25519_verify(publicKey, message, (nuint)message.Length, signature, out int ok),
            nameof(Interop.optiks_ed25519_verify));
        return ok != 0;
    }

    private sealed class NoteVerifier : IEd25519Verifier
    {
        public bool Verify(ReadOnlySpan<byte> publicKey, ReadOnlySpan<byte> message, ReadOnlySpan<byte> signature) =>
            Ed25519.Verify(publicKey, message, signature);
    }
}
