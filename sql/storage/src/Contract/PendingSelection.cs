using System.Runtime.InteropServices;

namespace Optiks.Storage;

/// <summary>
/// Selects the updates of the next epoch from the pending rows, which callers add in order of acceptance. The selection takes a request
/// only if no earlier request has one of the same keys, whether or not that earlier request was taken.
/// </summary>
/// <remarks>
/// The first request that would exceed a limit ends the selection. Otherwise smaller requests could overtake a large request forever.
/// Erasures get at most half of the items. Further erasures wait, but they do not end the selection, so that even a large number of
/// erasures does not block the updates after them. The selection remembers every key that it has seen. It reads at most
/// <see cref="Limits.PendingPerKey"/> rows for each row that it takes. A caller may add rows over any length of time; each call of
/// <see cref="PipelineStore.ReadPendingAsync"/> adds the rows that were accepted since the previous call. Not thread-safe.
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
    /// Creates a selection with the given limits. The selection takes its first request even if that request exceeds the limits.
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
    /// The position of the last row that the selection has seen; the next rows to add come after it. If the selection has seen no row yet,
    /// the position is before all rows that may exist.
    /// </summary>
    public (long Sequence, int Item) After { get; private set; }

    /// <summary>Whether a limit was reached, so that no more rows are needed.</summary>
    public bool IsFull { get; private set; }

    /// <summary>The requests taken so far. <see cref="Complete"/> may still add requests.</summary>
    public ReadOnlySpan<PendingRequest> Taken => CollectionsMarshal.AsSpan(_taken);

    /// <summary>The sequence numbers, in ascending order, of the requests of the uncommitted epoch that come after <see cref="After"/>.
    /// An engine's read skips the rows of these requests, because that epoch decides them.</summary>
    public ReadOnlySpan<long> Underway
    {
        get
        {
            int first = Array.BinarySearch(_underway, After.Sequence);
            return _underway.AsSpan(first < 0 ? ~first : first);
        }
    }

    /// <summary>
    /// Adds the next row. Returns false when the selection is complete without this row; then the caller need not add later rows. Throws
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
        // No key occurs twice in a request, so a key that is added here never blocks a later item of the same request.
        _isOldest &= _seen.Add(new UpdateKey(row.Update.Structure, row.Update.Key));
        _items.Add(row.Update);
        _requestBytes += row.Update.Key.Length + row.Update.Value.Length;
        After = (row.Sequence, row.Item);
        return true;
    }

    /// <summary>
    /// Tells the selection, before its first rows, that all rows up to this sequence number are visible. After that number, a row may
    /// become visible later than rows with higher numbers, so the next selection starts early enough to find such rows. Only the first call
    /// has an effect. If it is never called, the selection assumes that rows become visible in the order of their numbers.
    /// </summary>
    public void ShowsAllThrough(long sequence) => _allThrough ??= sequence;

    /// <summary>Returns the selected updates. Callers call it after the last row, and may not add rows afterwards.</summary>
    public EpochUpdates Complete()
    {
        if (_items.Count > 0)
        {
            EndRequest();
        }
        (long Sequence, int Item) decided = _left ?? After;
        return new EpochUpdates(_taken, _takenItems,
            IsFull || _hasWaitingErasures)
        {
            DecidedThrough = _allThrough < decided.Sequence
                ? (_allThrough.Value, byte.MaxValue)
                : decided
        };
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
            // The position is after all items of earlier requests and before the first request that was not taken.
            _left ??= (_request.Sequence - 1, byte.MaxValue);
        }
        _items.Clear();
    }
}
