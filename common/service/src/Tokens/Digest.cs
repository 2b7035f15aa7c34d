using System.Buffers.Binary;
using System.Security.Cryptography;
using System.Text;
using Optiks.Protocol;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Holds the SHA-256 hash of a token's text. To remember a token, the service keeps only this hash, because the text itself is a secret.
/// </summary>
internal readonly record struct Digest(UInt128 First, UInt128 Second)
{
    /// <summary>Hashes a text of at most <see cref="ProtocolLimits.MaxToken"/> characters.</summary>
    public static Digest Compute(string text)
    {
        Span<byte> octets = stackalloc byte[Encoding.UTF8.GetMaxByteCount(text.Length)];
        Span<byte> hash = stackalloc byte[SHA256.HashSizeInBytes];
        SHA256.HashData(octets[..Encoding.UTF8.GetBytes(text, octets)], hash);
        return new Digest(BinaryPrimitives.ReadUInt128BigEndian(hash), BinaryPrimitives.ReadUInt128BigEndian(hash[16..]));
    }
}
