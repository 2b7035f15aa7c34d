using System.Buffers.Binary;
using System.Security.Cryptography;
using Optiks.Protocol;
using Optiks.Storage;

namespace Optiks.Db.Transfer;

/// <summary>
/// Reads an export (<see cref="RowWriter"/>). Throws <see cref="StorageCorruptException"/> if the export is damaged or incomplete. Only the
/// row <see cref="RowKind.End"/> proves that the export is undamaged, so callers must not make any row durable before they reach it. Not
/// thread-safe.
/// </summary>
internal sealed class RowReader : IDisposable
{
    public const int PrefixLength = 5;

    // The largest length of a row. A row contains at most one value (1 MiB) or checkpoint (64 KiB), so every valid row is shorter than
    // this.
    private const uint MaxRowLength = 4 << 20;

    private const string CutShort = "The export is damaged, or cut short: nothing was imported.";

    private readonly Stream _stream;
    private readonly IncrementalHash _hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
    private readonly bool _hasStates;
    private OctetReader _row;

    public RowReader(Stream stream)
    {
        _stream = stream;
        byte[] magic = Take(RowWriter.Magic.Length);
        _hasStates = magic.AsSpan().SequenceEqual(RowWriter.Magic);
        if (!_hasStates && !magic.AsSpan().SequenceEqual(RowWriter.MagicWithoutStates))
        {
            throw new StorageCorruptException("The file is not an export, or is from a newer version.");
        }
        _hash.AppendData(magic);
    }

    /// <summary>
    /// Reads the kind of the next row. The caller then calls the method that reads a row of this kind. When this method returns
    /// <see cref="RowKind.End"/>, it has verified the checksum.
    /// </summary>
    public RowKind Next()
    {
        byte[] prefix = Take(PrefixLength);
        var kind = (RowKind)prefix[0];
        uint length = BinaryPrimitives.ReadUInt32BigEndian(prefix.AsSpan(1));
        if (length > MaxRowLength)
        {
            throw Damaged();
        }
        byte[] row = Take((int)length);
        if (kind == RowKind.End)
        {
            if (!_hash.GetHashAndReset().AsSpan().SequenceEqual(row) || _stream.ReadByte() >= 0)
            {
                throw Damaged();
            }
            return kind;
        }
        _hash.AppendData(prefix);
        _hash.AppendData(row);
        _row = new OctetReader(row, CutShort);
        return Enum.IsDefined(kind) ? kind : throw Damaged();
    }

    public PeriodRow Period() => Whole(_hasStates
        ? new PeriodRow(_row.U64(), (PeriodState)_row.U8(), OptionalUInt64(), Optional() ? Int32() : null, Opaque(), Opaque())
        : new PeriodRow(_row.U64(), PeriodState.Current, _row.U64(), 0, Opaque(), Opaque()));

    public StoredEpoch Epoch()
    {
        ulong epoch = _row.U64();
        long leaves = Int64();
        long valueBytes = Int64();
        return Whole(new StoredEpoch(new EpochRow(epoch, Opaque(), Opaque(), Opaque()), leaves, valueBytes));
    }

    public StoredLeaf Leaf() => Whole(new StoredLeaf(
        _row.U64(), Int32(), (StructureId)_row.U8(), _row.U64(), _row.U64(), Opaque(), Opaque(), Opaque(),
        new LeafOrigin(_row.RequestId(), _row.U16()),
        OptionalValue()));

    public StoredRequest ReadRequest() => Whole(new StoredRequest(Int64(), _row.RequestId(), Opaque()));

    public StoredPending Pending() => Whole(new StoredPending(
        Int64(), _row.U16(),
        new AcceptItem((StructureId)_row.U8(), Opaque(), Opaque(), Optional() ? new ExpectedVersion(_row.U64(), _row.U64()) : null)));

    public StoredOutcome Outcome() => Whole(new StoredOutcome(
        Int64(),
        _row.U16(),
        _row.U64(),
        new ResultColumns(
            Optional() ? Int32() : null,
            Optional() ? new Refusal((RefusalReason)_row.U8(), _row.U16(), new ExpectedVersion(_row.U64(), _row.U64())) : null),
        Leaf: null));

    public StoredErasure Erasure()
    {
        ulong decidedIn = _row.U64();
        int number = Int32();
        var erasure = new Erasure(
            _row.U64(), Int32(), new LeafOrigin(_row.RequestId(), _row.U16()))
        { Period = _hasStates ? OptionalUInt64() : null };
        return Whole(new StoredErasure(decidedIn, number, erasure, Structure: null, Label: default, Commitment: default));
    }

    public StoredCopy Copy()
    {
        ulong period = _row.U64();
        int number = Int32();
        var structure = (StructureId)_row.U8();
        (ReadOnlyMemory<byte> label, ReadOnlyMemory<byte> commitment, ReadOnlyMemory<byte> tag) = (Opaque(), Opaque(), Opaque());
        CopySource source = Optional() ? new CopySource(_row.U64(), _row.U64(), Int32()) : default;
        return Whole(new StoredCopy(period, number, structure, source, label, commitment, tag, OptionalValue()));
    }

    public HeadRow ReadHead() => Whole(new HeadRow(OptionalUInt64(), Opaque(), OptionalUInt64(), Int64(), "", DateTimeOffset.UnixEpoch));

    public void Dispose() => _hash.Dispose();

    private static StorageCorruptException Damaged() => new(CutShort);

    private byte[] Take(int length)
    {
        byte[] octets = new byte[length];
        return _stream.ReadAtLeast(octets, length, throwOnEndOfStream: false) == length ? octets : throw Damaged();
    }

    private T Whole<T>(T row) => _row.IsEmpty ? row : throw Damaged();

    private int Int32() => _row.U32() is var value and <= int.MaxValue ? (int)value : throw Damaged();

    private long Int64() => _row.U64() is var value and <= long.MaxValue ? (long)value : throw Damaged();

    private bool Optional() => _row.U8() switch { 0 => false, 1 => true, _ => throw Damaged() };

    private StoredValue? OptionalValue() => Optional() ? new StoredValue(Opaque(), Opaque(), Opaque()) : null;

    private ulong? OptionalUInt64() => Optional() ? _row.U64() : null;

    private ReadOnlyMemory<byte> Opaque() => _row.Octets(_row.U32());
}
