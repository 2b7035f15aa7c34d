namespace Optiks.Storage;

/// <summary>
/// Determines which epochs form one batch of leaves. The batch takes as many whole epochs as fit, and always at least one epoch, even if
/// that epoch is too large. Not thread-safe.
/// </summary>
public sealed class LeafRange
{
    // An epoch takes at most 64 MiB of updates. A second or later epoch joins a batch only if the batch stays within this size.
    private const long MaxValueBytes = 64L << 20;

    private readonly int _batchRows;
    private readonly LeafColumns _columns;
    private long _leaves;
    private long _valueBytes;

    /// <summary>
    /// Creates a range that begins with the epoch <paramref name="first"/>. It will have about the given number of leaves
    /// (<paramref name="batchRows"/>), of which the given columns are read.
    /// </summary>
    public LeafRange(ulong first, int batchRows, LeafColumns columns)
    {
        First = first;
        _batchRows = batchRows;
        _columns = columns;
    }

    /// <summary>The first epoch of the range.</summary>
    public ulong First { get; }

    /// <summary>The last epoch of the range; null when no epoch was added.</summary>
    public ulong? Through { get; private set; }

    /// <summary>Whether the added epochs inserted no leaf.</summary>
    public bool IsEmpty => _leaves == 0;

    /// <summary>Adds the next epoch. Returns false when the epoch does not fit; the range is then complete.</summary>
    /// <param name="epoch">The epoch after the last added epoch.</param>
    /// <param name="leaves">The number of leaves that the epoch inserted.</param>
    /// <param name="valueBytes">The number of bytes of these leaves' values when they were inserted.</param>
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

    /// <summary>Creates the builder of the batch with all leaves of the range. The range must have at least one epoch.</summary>
    public LeafBatchBuilder Builder() => new(First, Through!.Value, checked((int)_leaves), checked((int)_valueBytes), _columns);

    /// <summary>
    /// Creates the builder of a batch that has only some of the range's leaves. The number of these leaves is not known beforehand.
    /// </summary>
    public LeafBatchBuilder BuilderOfSome() =>
        new(First, Through!.Value, checked((int)_leaves), checked((int)_valueBytes), _columns, hasAll: false);
}
