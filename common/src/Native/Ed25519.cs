using Optiks.Tlog;

namespace Optiks.Native;

/// <summary>Ed25519 is RFC 8032 from libsodium, inside liboptiks. Any thread.</summary>
public static class Ed25519
{
    /// <summary>Length of a seed (the secret) in octets.</summary>
    public const int SeedLength = 32;

    /// <summary>Length of a public key in octets.</summary>
    public const int PublicKeyLength = 32;

    /// <summary>Length of a signature in octets.</summary>
    public const int SignatureLength = 64;

    /// <summary>Verifier is this signature scheme for notes.</summary>
    public static IEd25519Verifier Verifier { get; } = new NoteVerifier();

    /// <summary>PublicKey derives the public key of a seed.</summary>
    public static byte[] PublicKey(ReadOnlySpan<byte> seed)
    {
        Check.Length(seed, SeedLength);
        byte[] publicKey = new byte[PublicKeyLength];
        OptiksNativeException.ThrowIfFailed(Interop.optiks_ed25519_public(seed, publicKey), nameof(Interop.optiks_ed25519_public));
        return publicKey;
    }

    /// <summary>Sign signs deterministically: the same seed and message give the same octets.</summary>
    public static byte[] Sign(ReadOnlySpan<byte> seed, ReadOnlySpan<byte> message)
    {
        Check.Length(seed, SeedLength);
        byte[] signature = new byte[SignatureLength];
        OptiksNativeException.ThrowIfFailed(
            Interop.optiks_ed25519_sign(seed, message, (nuint)message.Length, signature), nameof(Interop.optiks_ed25519_sign));
        return signature;
    }

    /// <summary>Verify is strict: canonical S and points, no small-order keys. Inputs of another length are false.</summary>
    public static bool Verify(ReadOnlySpan<byte> publicKey, ReadOnlySpan<byte> message, ReadOnlySpan<byte> signature)
    {
        if (publicKey.Length != PublicKeyLength || signature.Length != SignatureLength)
        {
            return false;
        }
        OptiksNativeException.ThrowIfFailed(
            Interop.optiks_ed25519_verify(publicKey, message, (nuint)message.Length, signature, out int ok), nameof(Interop.optiks_ed25519_verify));
        return ok != 0;
    }

    private sealed class NoteVerifier : IEd25519Verifier
    {
        public bool Verify(ReadOnlySpan<byte> publicKey, ReadOnlySpan<byte> message, ReadOnlySpan<byte> signature) =>
            Ed25519.Verify(publicKey, message, signature);
    }
}
