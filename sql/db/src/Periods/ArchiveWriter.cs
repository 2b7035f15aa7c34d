using System.Buffers.Binary;
using System.Security.Cryptography;
using Optiks.Protocol;

namespace Optiks.Db.Periods;

/// <summary>
/// Writes what the roots of a period's devices and keys follow from, and nothing that tells whose they are: no secret, key, value or opening, and neither tags nor versions nor sources nor the order
/// in which copies were staged, which would relate labels to each other. Not thread-safe.
/// </summary>
/// <remarks>
/// <para>Integers are big-endian. Magic <c>optiks archive 1\n</c>; log id (32), period (8), its first and its last epoch (8 each); number of copies that the period began with (4); then of each epoch, in order,
/// record and number of its leaves of devices and keys (4). After the number of copies, and of leaves, each of them: structure (1), label (32), commitment (32), sorted. Last the SHA-256 of all before (32).</para>
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

    /// <summary>Leaf as the file has it.</summary>
    public static byte[] Leaf(StructureId structure, ReadOnlyMemory<byte> label, ReadOnlyMemory<byte> commitment) => [(byte)structure, .. label.Span, .. commitment.Span];

    /// <summary>Writes the copies, once and before anything else, or an epoch's leaves after its record.</summary>
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
