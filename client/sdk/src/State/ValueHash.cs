using System.Security.Cryptography;

namespace Optiks.Client;

/// <summary>Computes the SHA-256 by which values are stored, in hexadecimal.</summary>
internal static class ValueHash
{
    public static string Of(ReadOnlySpan<byte> value) => Convert.ToHexStringLower(SHA256.HashData(value));
}
