using System.Security.Cryptography;

namespace Optiks.Client;

/// <summary>Computes the SHA-256, in hexadecimal, that names a stored value.</summary>
internal static class ValueHash
{
    public static string Of(ReadOnlySpan<byte> value) => Convert.ToHexStringLower(SHA256.HashData(value));
}
