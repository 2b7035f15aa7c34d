using System.Runtime.InteropServices;

namespace Optiks.Storage;

/// <summary>
/// Selects the updates of the next epoch from the pending rows, which it sees in order of acceptance. It takes a request when no earlier
/// request, taken or not, has one of its keys.
/// </summary>
/// <remarks>
/// The first request that would exceed a limit ends the selection, so that large requests are not overtaken forever. Erasures get at most
/// half of the items. Erasures beyond that number wait without ending the selection, so that the selection takes the updates behind them
/// however many erasures there are. The selection remembers every key that it has seen, so it looks at no more than
/// <see cref="Limits.PendingPerKey"/> rows for each row that it takes. Rows may be shown to it over any length of time; each
/// <see cref="IPipelineStore.ReadPendingAsync"/> shows the rows that were accepted since the previous call. One thread at a time.
/// </remarks>
public sealed class PendingSelection
{
    private readonly int _maxItems;
    private readonly long _maxBytes;
    private readonly long[] _underway;
    private readonly HashSet<UpdateKey> _seen = [];
    private readonly List<PendingRequest> _taken = [];
    private readonly List<AcceptItem> _items = [];
    private PendingRow _request;
    private (long Sequence, int Item)? _left;
    private long? _allThrough;
    private bool _isOldest;
    private long _requestBytes;
    private int _takenItems;
    private long _takenBytes;
    private int _takenErasures;
    private bool _hasWaitingErasures;

    /// <summary>
    /// Creates a selection with limits. The selection takes at least one request, even if that request exceeds the limits.
    /// </summary>
    /// <param name="maxItems">The largest number of items.</param>
    /// <param name="maxBytes">The largest number of bytes of keys and values.</param>
    /// <param name="underway">
    /// The updates of an epoch that is not yet committed. The selection treats these updates as decided, so it is valid only if that epoch
    /// is committed.
    /// </param>
    public PendingSelection(int maxItems, long maxBytes, EpochUpdates? underway = null)
    {
        _maxItems = maxItems;
        _maxBytes = maxBytes;
        After = underway?.DecidedThrough ?? default;
        _underway = underway is null ? [] : [.. underway.Requests.Select(request => request.Sequence)];
    }

    /// <summary>
    /// The last row that the selection has seen; it needs the rows after this row. Before the first row, a position before all rows that
    /// may exist.
    /// </summary>
    public (long Sequence, int Item) After { get; private set; }

    /// <summary>Whether a limit was reached, so that no more rows are needed.</summary>
    public bool IsFull { get; private set; }

    /// <summary>The requests taken so far. <see cref="Complete"/> may still add requests.</summary>
    public ReadOnlySpan<PendingRequest> Taken => CollectionsMarshal.AsSpan(_taken);

    /// <summary>The sequence numbers, ascending, of requests that must not be shown and that may come after <see cref="After"/>.</summary>
    public ReadOnlySpan<long> Underway
    {
        get
        {
            int first = Array.BinarySearch(_underway, After.Sequence);
            return _underway.AsSpan(first < 0 ? ~first : first);
        }
    }

    /// <summary>
    /// Adds the next row. Returns false when the selection is complete without this row; then later rows do not matter. Throws
    /// <see cref="StorageCorruptException"/> for a row whose request, or an earlier item of that request, is missing.
    /// </summary>
    public bool TryAdd(in PendingRow row)
    {
        if (_items.Count > 0 && row.Sequence != _request.Sequence)
        {
            EndRequest();
        }
        if (IsFull)
        {
            return false;
        }
        if (_items.Count == 0)
        {
            _request = row;
            _isOldest = true;
            _requestBytes = 0;
        }
        if (row.RequestId is null)
        {
            throw new StorageCorruptException("The database has pending updates without their request: restore it.");
        }
        if (row.Item != _items.Count)
        {
            throw new StorageCorruptException("The database has a pending request without all of its items: restore it.");
        }
        // The keys of one request differ, so a key that is added here never blocks a later item of the same request.
        _isOldest &= _seen.Add(new UpdateKey(row.Update.Structure, row.Update.Key));
        _items.Add(row.Update);
        _requestBytes += row.Update.Key.Length + row.Update.Value.Length;
        After = (row.Sequence, row.Item);
        return true;
    }

    /// <summary>
    /// Tells the selection, before the first rows, that it will see all rows up to this sequence number. Beyond that number, a row may
    /// become visible after rows with higher numbers, and the next selection looks for such rows. Only the first call has an effect.
    /// Without a call, the selection assumes that rows become visible in the order of their numbers.
    /// </summary>
    public void ShowsAllThrough(long sequence) => _allThrough ??= sequence;

    /// <summary>Returns the selected updates; call it after the last row. No row may be added afterwards.</summary>
    public EpochUpdates Complete()
    {
        if (_items.Count > 0)
        {
            EndRequest();
        }
        (long Sequence, int Item) decided = _left ?? After;
        return new EpochUpdates(_taken, _takenItems, IsFull || _hasWaitingErasures) { DecidedThrough = _allThrough < decided.Sequence ? (_allThrough.Value, byte.MaxValue) : decided };
    }

    private void EndRequest()
    {
        var request = new PendingRequest(_request.RequestId!.Value, _request.Sequence, _request.BodyHash, _items.ToArray());
        bool isErasure = request.Kind == RequestKind.Erasure;
        bool waits = isErasure && _takenErasures >= Math.Max(1, _maxItems / 2);
        _hasWaitingErasures |= waits && _isOldest;
        _isOldest &= !waits;
        IsFull = _isOldest && _taken.Count > 0 && (_takenItems + _items.Count > _maxItems || _takenBytes + _requestBytes > _maxBytes);
        if (_isOldest && !IsFull)
        {
            _taken.Add(request);
            _takenItems += _items.Count;
            _takenBytes += _requestBytes;
            _takenErasures += isErasure ? 1 : 0;
        }
        else
        {
            // The position just before the first request that is not taken, after all items of the previous request.
            _left ??= (_request.Sequence - 1, byte.MaxValue);
        }
        _items.Clear();
    }
}
