using System.Security.Cryptography;

namespace Optiks.Client;

/// <summary>ValueHash is the SHA-256 by which values are remembered, in hexadecimal.</summary>
internal static class ValueHash
{
    public static string Of(ReadOnlySpan<byte> value) => Convert.ToHexStringLower(SHA256.HashData(value));
}
