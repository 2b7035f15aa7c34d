namespace Optiks.Storage;

/// <summary>
/// PendingSelection picks what the next epoch takes from the pending rows in order of acceptance. A request is taken when no earlier one, taken or not, has one of its
/// keys. The first that would exceed a limit ends the batch, so that large requests are not overtaken for ever. Remembers every key that it was shown: at most
/// <see cref="Limits.PendingPerKey"/> rows are looked at for each one that is taken.
/// </summary>
public sealed class PendingSelection
{
    private readonly int _maxItems;
    private readonly long _maxBytes;
    private readonly HashSet<UpdateKey> _seen = [];
    private readonly List<PendingRequest> _taken = [];
    private readonly List<AcceptItem> _items = [];
    private PendingRow _request;
    private bool _isOldest;
    private long _requestBytes;
    private int _takenItems;
    private long _takenBytes;
    private bool _full;

    /// <summary>PendingSelection with limits on items and on octets of keys and values; at least one request is taken in any case.</summary>
    public PendingSelection(int maxItems, long maxBytes)
    {
        _maxItems = maxItems;
        _maxBytes = maxBytes;
    }

    /// <summary>TryAdd shows the next row. False: the batch is complete without it, and later rows do not matter. Throws <see cref="StorageCorruptException"/> for a row whose request, or an earlier item of it, is missing.</summary>
    public bool TryAdd(in PendingRow row)
    {
        if (_items.Count > 0 && row.Sequence != _request.Sequence)
        {
            EndRequest();
        }
        if (_full)
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
        return true;
    }

    /// <summary>Complete gives the batch after the last row.</summary>
    public PendingBatch Complete()
    {
        if (_items.Count > 0)
        {
            EndRequest();
        }
        return new PendingBatch(_taken, _takenItems, _full);
    }

    private void EndRequest()
    {
        if (_isOldest)
        {
            _full = _taken.Count > 0 && (_takenItems + _items.Count > _maxItems || _takenBytes + _requestBytes > _maxBytes);
            if (!_full)
            {
                _taken.Add(new PendingRequest(_request.RequestId!.Value, _request.Sequence, _request.BodyHash, _items.ToArray()));
                _takenItems += _items.Count;
                _takenBytes += _requestBytes;
            }
        }
        _items.Clear();
    }
}
