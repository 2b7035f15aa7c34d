using System.Buffers.Binary;
using System.Security.Cryptography;
using Optiks.Protocol;

namespace Optiks.Db.Periods;

/// <summary>
/// Writes an archive of a period. It has the data that determine the roots of the structures <c>devices</c> and <c>keys</c>, but no data
/// that reveal to whom a device or key belongs. The archive contains no secrets, keys, values or openings. It also omits tags, versions,
/// sources, and the order in which copies were staged, because these data would show which labels belong together. Not thread-safe.
/// </summary>
/// <remarks>
/// <para>The file has these fields (integers are big-endian, and lengths in bytes are in parentheses): the magic text <c>optiks archive
/// 1\n</c>; log id (32), period (8), its first and its last epoch (8 each); the number of copies with which the period began (4); then for
/// each epoch, in order, its record and the number of its leaves of the structures <c>devices</c> and <c>keys</c> (4). Each number of
/// copies or leaves is followed by these copies or leaves, sorted, with structure (1), label (32) and commitment (32) each. The last field
/// is the SHA-256 of everything before it (32).</para>
/// </remarks>
internal sealed class ArchiveWriter : IDisposable
{
    private readonly Stream _stream;
    private readonly IncrementalHash _hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
    private readonly byte[] _numbers = new byte[3 * sizeof(ulong)];

    public ArchiveWriter(Stream stream, ReadOnlyMemory<byte> logId, ulong period, ulong first, ulong last)
    {
        _stream = stream;
        Put(Magic);
        Put(logId.Span);
        BinaryPrimitives.WriteUInt64BigEndian(_numbers, period);
        BinaryPrimitives.WriteUInt64BigEndian(_numbers.AsSpan(sizeof(ulong)), first);
        BinaryPrimitives.WriteUInt64BigEndian(_numbers.AsSpan(2 * sizeof(ulong)), last);
        Put(_numbers);
    }

    internal static ReadOnlySpan<byte> Magic => "optiks archive 1\n"u8;

    /// <summary>Returns the bytes of a leaf or copy in the file's format.</summary>
    public static byte[] Leaf(StructureId structure, ReadOnlyMemory<byte> label, ReadOnlyMemory<byte> commitment) =>
        [(byte)structure, .. label.Span, .. commitment.Span];

    /// <summary>
    /// Writes a period's copies or an epoch's leaves. Callers write the copies first, and then, for each epoch, its record and its leaves.
    /// </summary>
    public void WriteLeaves(IReadOnlyCollection<byte[]> leaves)
    {
        BinaryPrimitives.WriteInt32BigEndian(_numbers, leaves.Count);
        Put(_numbers.AsSpan(0, sizeof(int)));
        foreach (byte[] leaf in leaves)
        {
            Put(leaf);
        }
    }

    /// <summary>Writes the record of the next epoch.</summary>
    public void WriteRecord(ReadOnlyMemory<byte> record) => Put(record.Span);

    /// <summary>Writes the checksum at the end of the archive.</summary>
    public void Finish() => _stream.Write(_hash.GetHashAndReset());

    public void Dispose() => _hash.Dispose();

    private void Put(ReadOnlySpan<byte> octets)
    {
        _hash.AppendData(octets);
        _stream.Write(octets);
    }
}
