using System.Runtime.InteropServices;

namespace Optiks.Storage;

/// <summary>
/// Picks what the next epoch takes from the pending rows in order of acceptance. A request is taken when no earlier one, taken or not, has one of its
/// keys. The first that would exceed a limit ends the selection, so that large requests are not overtaken for ever. Erasures get half of the items at most, and those beyond
/// it wait without ending the selection: however many there are, updates behind them are taken. Remembers every key that it was shown: at most
/// <see cref="Limits.PendingPerKey"/> rows are looked at for each one that is taken. It may be shown rows over any time, those accepted since with each
/// <see cref="IPipelineStore.ReadPendingAsync"/>. One thread at a time.
/// </summary>
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

    /// <summary>PendingSelection of at most so much, but at least one request.</summary>
    /// <param name="maxItems">Items.</param>
    /// <param name="maxBytes">Octets of keys and values.</param>
    /// <param name="underway">Those of an epoch that is not yet committed: what it takes counts as gone already. Good only if that epoch is committed.</param>
    public PendingSelection(int maxItems, long maxBytes, EpochUpdates? underway = null)
    {
        _maxItems = maxItems;
        _maxBytes = maxBytes;
        After = underway?.DecidedThrough ?? default;
        _underway = underway is null ? [] : [.. underway.Requests.Select(request => request.Sequence)];
    }

    /// <summary>The last row that was shown: later ones are wanted. Before the first, what comes before every row that may be there.</summary>
    public (long Sequence, int Item) After { get; private set; }

    /// <summary>IsFull: a limit was reached, and no more rows are wanted.</summary>
    public bool IsFull { get; private set; }

    /// <summary>Taken so far, without what <see cref="Complete"/> may still add.</summary>
    public ReadOnlySpan<PendingRequest> Taken => CollectionsMarshal.AsSpan(_taken);

    /// <summary>The sequences, ascending, of requests that are not to be shown and may come after <see cref="After"/>.</summary>
    public ReadOnlySpan<long> Underway
    {
        get
        {
            int first = Array.BinarySearch(_underway, After.Sequence);
            return _underway.AsSpan(first < 0 ? ~first : first);
        }
    }

    /// <summary>Shows the next row. False: the selection is complete without it, and later rows do not matter. Throws <see cref="StorageCorruptException"/> for a row whose request, or an earlier item of it, is missing.</summary>
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
        // Keys of one request differ, so what is added here never shadows its own later items.
        _isOldest &= _seen.Add(new UpdateKey(row.Update.Structure, row.Update.Key));
        _items.Add(row.Update);
        _requestBytes += row.Update.Key.Length + row.Update.Value.Length;
        After = (row.Sequence, row.Item);
        return true;
    }

    /// <summary>
    /// ShowsAllThrough says, before the first rows, that all of them up to this sequence are about to be shown, and that a later one may be accepted after others that follow it: the next
    /// selection looks for it. The first call counts. Without any, rows are accepted in their order.
    /// </summary>
    public void ShowsAllThrough(long sequence) => _allThrough ??= sequence;

    /// <summary>Gives the updates after the last row. Nothing may be shown any more.</summary>
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
        bool isErasure = ErasureOrder.IsIn(request);
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
            // Before the first that stays behind, after all items of the one before it.
            _left ??= (_request.Sequence - 1, byte.MaxValue);
        }
        _items.Clear();
    }
}
