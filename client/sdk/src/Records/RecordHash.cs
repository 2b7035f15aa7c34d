using System.Buffers.Binary;
using System.Security.Cryptography;

namespace Optiks.Client;

/// <summary>
/// Computes the hashes of a client's state, which find accidents and no attacks (docs/spec/client-state.md section 4). Each hash is the
/// SHA-256 of one octet that says what is hashed, and of fields.
/// </summary>
internal static class RecordHash
{
    public const int Length = SHA256.HashSizeInBytes;

    /// <summary>The number of octets of the check of a header or of a commit.</summary>
    public const int CheckLength = 16;

    /// <summary>The number of octets of the check of a commit's length.</summary>
    public const int ShortLength = 8;

    private const byte RecordTag = 1;
    private const byte HeaderTag = 2;
    private const byte LengthTag = 3;
    private const byte CommitTag = 4;

    /// <summary>Returns the hash of a record, which is one term of the set hash.</summary>
    public static byte[] HashRecord(RecordKey key, ReadOnlySpan<byte> body)
    {
        Span<byte> length = stackalloc byte[sizeof(ushort)];
        BinaryPrimitives.WriteUInt16BigEndian(length, (ushort)key.Octets.Length);
        return Hash(RecordTag, length, key.Octets.Span, body);
    }

    /// <summary>Returns the check at the end of a journal's header.</summary>
    public static byte[] HashHeader(ReadOnlySpan<byte> header) => Hash(HeaderTag, header, [], [])[..CheckLength];

    /// <summary>Returns the check of a commit's length, after the commit or header with the check <paramref name="before"/>.</summary>
    public static byte[] HashLength(ReadOnlySpan<byte> before, ReadOnlySpan<byte> length) =>
        Hash(LengthTag, before, length, [])[..ShortLength];

    /// <summary>Returns the check of a whole commit, after the commit or header with the check <paramref name="before"/>.</summary>
    public static byte[] HashCommit(ReadOnlySpan<byte> before, ReadOnlySpan<byte> length, ReadOnlySpan<byte> changes) =>
        Hash(CommitTag, before, length, changes)[..CheckLength];

    private static byte[] Hash(byte tag, ReadOnlySpan<byte> first, ReadOnlySpan<byte> second, ReadOnlySpan<byte> third)
    {
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        hash.AppendData([tag]);
        hash.AppendData(first);
        hash.AppendData(second);
        hash.AppendData(third);
        return hash.GetHashAndReset();
    }
}
