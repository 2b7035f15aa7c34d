using System.Buffers;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Storage;

/// <summary>
/// Builds a <see cref="LeafBatch"/> from the stored leaves of whole epochs, which a driver adds in the order (epoch, ordinal), and detects
/// missing rows. Not thread-safe.
/// </summary>
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

    /// <summary>Creates a builder for the epochs from <paramref name="first"/> to <paramref name="through"/>.</summary>
    /// <param name="first">First epoch.</param>
    /// <param name="through">Last epoch.</param>
    /// <param name="leaves">The number of leaves that the epochs inserted, according to their rows.</param>
    /// <param name="valueBytes">The number of bytes of the leaves' values when they were inserted, which is an upper bound because some
    /// values may have been erased.</param>
    /// <param name="columns">The columns that are read.</param>
    /// <param name="hasAll">
    /// Whether the driver reads all leaves of the epochs. If true, the builder detects a missing leaf. If false, the driver reads only some
    /// of the leaves, in their order.
    /// </param>
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
        // When only some values are read, their total size is unknown, so the buffer grows as needed.
        _values = columns == LeafColumns.Lists || !hasAll ? [] : new byte[valueBytes];
    }

    /// <summary>
    /// Adds the next leaf, without a value. Returns its row, in which the caller sets label, commitment and tag. Throws
    /// <see cref="StorageCorruptException"/> when a leaf between the previous leaf and this one is missing.
    /// </summary>
    public ref LeafRow Add(ulong epoch, int ordinal, StructureId structure, ulong version)
    {
        // The ordinals of each epoch begin at 0.
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

    /// <summary>Sets the origin and the key of the leaf that was added last. The key is empty when the leaf's value was erased.</summary>
    public void SetOrigin(LeafOrigin origin, ReadOnlySpan<byte> key)
    {
        _keys.Write(key);
        _origins[_read - 1] = origin;
        _keyEnds[_read - 1] = _keys.WrittenCount;
    }

    /// <summary>Sets the value of the leaf that was added last, unless the value was erased.</summary>
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

    /// <summary>
    /// Returns the batch. Callers call it after the last leaf. Throws <see cref="StorageCorruptException"/> when leaves are missing.
    /// </summary>
    public LeafBatch Complete() => !_hasAll || _read == _rows.Length
        ? new LeafBatch(_rows.AsMemory(0, _read), _values.AsMemory(0, _valueEnd), _keys.WrittenMemory, _keyEnds, _origins)
        : throw Incomplete();

    private StorageCorruptException Incomplete() =>
        new($"The database does not hold the leaves that were committed in epochs {_first} to {_through}: restore it.");
}
