using System.Buffers;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Storage;

/// <summary>Puts stored leaves of whole epochs, which a driver reads in (epoch, ordinal) order, into a flat batch, and notices when rows are missing. Not thread-safe.</summary>
public sealed class LeafBatchBuilder
{
    private readonly ulong _first;
    private readonly ulong _through;
    private readonly bool _hasAll;
    private readonly int _maxRows;
    private LeafRow[] _rows;
    private readonly LeafOrigin[] _origins;
    private readonly int[] _keyEnds;
    private readonly int _maxValueBytes;
    private byte[] _values;
    private readonly ArrayBufferWriter<byte> _keys = new();
    private int _read;
    private int _valueEnd;
    private ulong _epoch;
    private int _nextOrdinal;

    /// <summary>LeafBatchBuilder for epochs <paramref name="first"/> to <paramref name="through"/>.</summary>
    /// <param name="first">First epoch.</param>
    /// <param name="through">Last epoch.</param>
    /// <param name="leaves">How many leaves the epochs' rows say that they inserted.</param>
    /// <param name="valueBytes">Octets of their values when they were inserted; erased ones are missing.</param>
    /// <param name="columns">What is read.</param>
    /// <param name="hasAll">All of these leaves are read, and one that is missing is noticed; false: some of them, in their order.</param>
    public LeafBatchBuilder(ulong first, ulong through, int leaves, int valueBytes, LeafColumns columns, bool hasAll = true)
    {
        _hasAll = hasAll;
        _maxRows = leaves;
        _first = first;
        _through = through;
        _rows = hasAll ? new LeafRow[leaves] : [];
        _origins = columns == LeafColumns.All ? new LeafOrigin[leaves] : [];
        _keyEnds = columns == LeafColumns.All ? new int[leaves] : [];
        _maxValueBytes = valueBytes;
        // Lists, and values of some leaves, are few among the values, or most of them.
        _values = columns == LeafColumns.Lists || !hasAll ? [] : new byte[valueBytes];
    }

    /// <summary>Add the next leaf, without a value. Returns it for its label, commitment and tag. Throws <see cref="StorageCorruptException"/> where it does not follow the one before.</summary>
    public ref LeafRow Add(ulong epoch, int ordinal, StructureId structure, ulong version)
    {
        // Ordinals run from 0 in every epoch.
        _nextOrdinal = epoch == _epoch ? _nextOrdinal : 0;
        if (_read == _maxRows || (_hasAll ? ordinal != _nextOrdinal : ordinal < _nextOrdinal))
        {
            throw Incomplete();
        }
        _epoch = epoch;
        _nextOrdinal = ordinal + 1;
        if (_read == _rows.Length)
        {
            Array.Resize(ref _rows, (int)Math.Min(_maxRows, Math.Max(64L, 2L * _read)));
        }
        ref LeafRow row = ref _rows[_read++];
        row.Epoch = epoch;
        row.Structure = structure;
        row.Version = version;
        row.ValueOffset = LeafRow.NoValue;
        return ref row;
    }

    /// <summary>SetOrigin of the leaf that was added last, and its key, which is empty when it was erased.</summary>
    public void SetOrigin(LeafOrigin origin, ReadOnlySpan<byte> key)
    {
        _keys.Write(key);
        _origins[_read - 1] = origin;
        _keyEnds[_read - 1] = _keys.WrittenCount;
    }

    /// <summary>SetValue of the leaf that was added last: it was not erased.</summary>
    public void SetValue(ReadOnlySpan<byte> opening, ReadOnlySpan<byte> value)
    {
        if (value.Length > _maxValueBytes - _valueEnd)
        {
            throw Incomplete();
        }
        if (value.Length > _values.Length - _valueEnd)
        {
            Array.Resize(ref _values, (int)Math.Min(_maxValueBytes, Math.Max(2L * _values.Length, _valueEnd + (long)value.Length)));
        }
        ref LeafRow row = ref _rows[_read - 1];
        row.Opening = opening;
        row.ValueOffset = (ulong)_valueEnd;
        row.ValueLength = (uint)value.Length;
        value.CopyTo(_values.AsSpan(_valueEnd));
        _valueEnd += value.Length;
    }

    /// <summary>Gives the batch after the last leaf. Throws <see cref="StorageCorruptException"/> where some are missing.</summary>
    public LeafBatch Complete() => !_hasAll || _read == _rows.Length
        ? new LeafBatch(_rows.AsMemory(0, _read), _values.AsMemory(0, _valueEnd), _keys.WrittenMemory, _keyEnds, _origins)
        : throw Incomplete();

    private StorageCorruptException Incomplete() => new($"The database does not hold the leaves that were committed in epochs {_first} to {_through}: restore it.");
}
