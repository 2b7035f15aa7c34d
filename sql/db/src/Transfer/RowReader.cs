using System.Buffers.Binary;
using System.Security.Cryptography;
using Optiks.Protocol;
using Optiks.Storage;

namespace Optiks.Db.Transfer;

/// <summary>
/// RowReader reads an export (<see cref="RowWriter"/>). Throws <see cref="StorageCorruptException"/> for anything but a whole one; whether it is undamaged is known at <see cref="RowKind.End"/>
/// only, so nothing that was read may be kept before. Not thread-safe.
/// </summary>
internal sealed class RowReader : IDisposable
{
    public const int PrefixLength = 5;

    // A row holds at most one value (1 MiB) or checkpoint (64 KiB).
    private const uint MaxRowLength = 4 << 20;

    private readonly Stream _stream;
    private readonly IncrementalHash _hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
    private byte[] _row = [];
    private int _position;

    public RowReader(Stream stream)
    {
        _stream = stream;
        byte[] magic = Take(RowWriter.Magic.Length);
        if (!magic.AsSpan().SequenceEqual(RowWriter.Magic))
        {
            throw new StorageCorruptException("The file is no export, or from a newer version.");
        }
        _hash.AppendData(magic);
    }

    /// <summary>Next reads the next row's kind; its content is read by the method of that kind. At the end the checksum has been compared.</summary>
    public RowKind Next()
    {
        byte[] prefix = Take(PrefixLength);
        var kind = (RowKind)prefix[0];
        uint length = BinaryPrimitives.ReadUInt32BigEndian(prefix.AsSpan(1));
        if (length > MaxRowLength)
        {
            throw Damaged();
        }
        _row = Take((int)length);
        _position = 0;
        if (kind == RowKind.End)
        {
            if (!_hash.GetHashAndReset().AsSpan().SequenceEqual(_row) || _stream.ReadByte() >= 0)
            {
                throw Damaged();
            }
            return kind;
        }
        _hash.AppendData(prefix);
        _hash.AppendData(_row);
        return Enum.IsDefined(kind) ? kind : throw Damaged();
    }

    public PeriodRow Period() => Whole(new PeriodRow(UInt64(), UInt64(), Opaque(), Opaque()));

    public StoredEpoch Epoch()
    {
        ulong epoch = UInt64();
        long leaves = Int64();
        long valueBytes = Int64();
        return Whole(new StoredEpoch(new EpochRow(epoch, Opaque(), Opaque(), Opaque()), leaves, valueBytes));
    }

    public StoredLeaf Leaf() => Whole(new StoredLeaf(
        UInt64(), Int32(), (StructureId)UInt8(), UInt64(), UInt64(), Opaque(), Opaque(), Opaque(), new LeafOrigin(Id(), UInt16()),
        Optional() ? new StoredValue(Opaque(), Opaque(), Opaque()) : null));

    public StoredRequest Request() => Whole(new StoredRequest(Int64(), Id(), Opaque()));

    public StoredPending Pending() => Whole(new StoredPending(
        Int64(), UInt16(), new AcceptItem((StructureId)UInt8(), Opaque(), Opaque(), Optional() ? new ExpectedVersion(UInt64(), UInt64()) : null)));

    public StoredOutcome Outcome() => Whole(new StoredOutcome(
        Int64(), UInt16(), UInt64(), Optional() ? Int32() : null,
        Optional() ? new Refusal((RefusalReason)UInt8(), UInt16(), new ExpectedVersion(UInt64(), UInt64())) : null, Leaf: null));

    public HeadRow Head() => Whole(new HeadRow(OptionalUInt64(), Opaque(), OptionalUInt64(), Int64(), "", DateTimeOffset.UnixEpoch));

    public void Dispose() => _hash.Dispose();

    private static StorageCorruptException Damaged() => new("The export is damaged, or cut short: nothing was imported.");

    private byte[] Take(int length)
    {
        byte[] octets = new byte[length];
        return _stream.ReadAtLeast(octets, length, throwOnEndOfStream: false) == length ? octets : throw Damaged();
    }

    private ReadOnlySpan<byte> Octets(uint length)
    {
        if (length > _row.Length - _position)
        {
            throw Damaged();
        }
        ReadOnlySpan<byte> octets = _row.AsSpan(_position, (int)length);
        _position += (int)length;
        return octets;
    }

    private T Whole<T>(T row) => _position == _row.Length ? row : throw Damaged();

    private byte UInt8() => Octets(1)[0];

    private ushort UInt16() => BinaryPrimitives.ReadUInt16BigEndian(Octets(sizeof(ushort)));

    private uint UInt32() => BinaryPrimitives.ReadUInt32BigEndian(Octets(sizeof(uint)));

    private ulong UInt64() => BinaryPrimitives.ReadUInt64BigEndian(Octets(sizeof(ulong)));

    private int Int32() => UInt32() is var value and <= int.MaxValue ? (int)value : throw Damaged();

    private long Int64() => UInt64() is var value and <= long.MaxValue ? (long)value : throw Damaged();

    private bool Optional() => UInt8() switch { 0 => false, 1 => true, _ => throw Damaged() };

    private ulong? OptionalUInt64() => Optional() ? UInt64() : null;

    private Guid Id() => RequestIds.Read(Octets(RequestIds.Length));

    private byte[] Opaque() => Octets(UInt32()).ToArray();
}
