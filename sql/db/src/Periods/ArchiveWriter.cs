using System.Buffers.Binary;
using System.Security.Cryptography;
using Optiks.Protocol;

namespace Optiks.Db.Periods;

/// <summary>
/// Writes the data that determine the roots of a period's devices and keys, and nothing that reveals whose devices and keys they are. The
/// archive contains no secrets, keys, values or openings. It also leaves out tags, versions, sources, and the order in which copies were
/// staged, because these data would relate labels to each other. Not thread-safe.
/// </summary>
/// <remarks>
/// <para>Integers are big-endian. Magic <c>optiks archive 1\n</c>; log id (32), period (8), its first and its last epoch (8 each); number
/// of copies that the period began with (4); then for each epoch, in order, its record and the number of its leaves of devices and keys
/// (4). Each number of copies or leaves is followed by the copies or leaves: structure (1), label (32), commitment (32), sorted. Finally
/// the SHA-256 of everything before it (32).</para>
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

    /// <summary>Returns a leaf in the form that the file uses.</summary>
    public static byte[] Leaf(StructureId structure, ReadOnlyMemory<byte> label, ReadOnlyMemory<byte> commitment) => [(byte)structure, .. label.Span, .. commitment.Span];

    /// <summary>
    /// Writes a period's copies or an epoch's leaves. The copies come once and first; an epoch's leaves come after its record.
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

    /// <summary>Writes the checksum.</summary>
    public void Finish() => _stream.Write(_hash.GetHashAndReset());

    public void Dispose() => _hash.Dispose();

    private void Put(ReadOnlySpan<byte> octets)
    {
        _hash.AppendData(octets);
        _stream.Write(octets);
    }
}
