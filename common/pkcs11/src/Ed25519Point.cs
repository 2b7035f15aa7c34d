using System.Diagnostics.CodeAnalysis;
using Optiks.Native;

namespace Optiks.Pkcs11;

/// <summary>
/// Reads the attribute CKA_EC_POINT of a public key, which contains the key's 32 bytes of RFC 8032. PKCS#11 requires an OCTET STRING around
/// these bytes, but some tokens return a BIT STRING or only the bytes.
/// </summary>
internal static class Ed25519Point
{
    public static bool TryRead(ReadOnlySpan<byte> point, [NotNullWhen(true)] out byte[]? publicKey)
    {
        const int length = Ed25519.PublicKeyLength;
        ReadOnlySpan<byte> octetString = [0x04, length];
        ReadOnlySpan<byte> bitString = [0x03, length + 1, 0x00];
        publicKey = point.Length == length ? point.ToArray()
            : point.Length == octetString.Length + length && point.StartsWith(octetString) ? point[octetString.Length..].ToArray()
            : point.Length == bitString.Length + length && point.StartsWith(bitString) ? point[bitString.Length..].ToArray()
            : null;
        return publicKey is not null;
    }
}
