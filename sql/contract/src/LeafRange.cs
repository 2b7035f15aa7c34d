namespace Optiks.Storage;

/// <summary>Finds out which epochs make up one batch of leaves: whole ones, as many as fit, and the first whatever its size. Not thread-safe.</summary>
public sealed class LeafRange
{
    // An epoch takes at most 64 MiB of updates; more epochs join a batch only up to this.
    private const long MaxValueBytes = 64L << 20;

    private readonly int _batchRows;
    private readonly LeafColumns _columns;
    private long _leaves;
    private long _valueBytes;

    /// <summary>LeafRange from epoch <paramref name="first"/> on, of about <paramref name="batchRows"/> leaves with these columns.</summary>
    public LeafRange(ulong first, int batchRows, LeafColumns columns)
    {
        First = first;
        _batchRows = batchRows;
        _columns = columns;
    }

    /// <summary>First epoch of the range.</summary>
    public ulong First { get; }

    /// <summary>Through which epoch the range goes; null when no epoch was added.</summary>
    public ulong? Through { get; private set; }

    /// <summary>IsEmpty when the epochs inserted no leaf.</summary>
    public bool IsEmpty => _leaves == 0;

    /// <summary>TryAdd the next epoch. False, and the range is complete, when it does not fit.</summary>
    /// <param name="epoch">The epoch after the one added last.</param>
    /// <param name="leaves">Leaves that it inserted.</param>
    /// <param name="valueBytes">Octets of their values when they were inserted.</param>
    public bool TryAdd(ulong epoch, long leaves, long valueBytes)
    {
        valueBytes = _columns == LeafColumns.Trees ? 0 : valueBytes;
        if (Through is not null && (_leaves + leaves > _batchRows || _valueBytes + valueBytes > MaxValueBytes))
        {
            return false;
        }
        Through = epoch;
        _leaves += leaves;
        _valueBytes += valueBytes;
        return true;
    }

    /// <summary>Builder of the batch. An epoch was added.</summary>
    public LeafBatchBuilder Builder() => new(First, Through!.Value, checked((int)_leaves), checked((int)_valueBytes), _columns);

    /// <summary>The builder of a batch with some of the range's leaves alone, of which nobody knows how many there are.</summary>
    public LeafBatchBuilder BuilderOfSome() => new(First, Through!.Value, checked((int)_leaves), checked((int)_valueBytes), _columns, hasAll: false);
}
