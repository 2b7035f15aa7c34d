namespace Optiks.Storage;

/// <summary>A group of requests that one statement stores together or not at all, as the lists that a driver sends to a server.
/// Immutable.</summary>
public sealed class AcceptGroup
{
    private readonly (int Request, int Item, AcceptItem Update)[] _items;

    /// <summary>Creates a group from requests, which the caller gives in the order in which they are to be stored.</summary>
    public AcceptGroup(IReadOnlyList<AcceptRequest> requests)
    {
        ArgumentNullException.ThrowIfNull(requests);
        Requests = requests;
        var items = new List<(int Request, int Item, AcceptItem Update)>(requests.Count);
        var ids = new HashSet<Guid>(requests.Count);
        IsPlain = requests.Count > 0;
        for (int i = 0; i < requests.Count; i++)
        {
            AcceptRequest request = requests[i];
            IsPlain &= ids.Add(request.RequestId);
            DateTimeOffset time = RequestIds.Time(request.RequestId);
            Earliest = time < Earliest ? time : Earliest;
            Latest = time > Latest ? time : Latest;
            for (int j = 0; j < request.Items.Count; j++)
            {
                items.Add((i, j, request.Items[j]));
            }
        }
        _items = [.. items];
        Array.Sort(_items, (one, other) => Compare(one.Update, other.Update));
        for (int i = 0, end; i < _items.Length; i = end)
        {
            end = EndOfKey(i);
            MostOccurrences = Math.Max(MostOccurrences, end - i);
        }
        IsPlain &= MostOccurrences <= Limits.PendingPerKey;
    }

    /// <summary>The requests in the order in which they are to be stored.</summary>
    public IReadOnlyList<AcceptRequest> Requests { get; }

    /// <summary>
    /// The items of all requests in the order of their keys, each with the index of its request and the item's number in that request.
    /// Because of this order, a statement passes through an index by key only once, instead of jumping back and forth.
    /// </summary>
    public IReadOnlyList<(int Request, int Item, AcceptItem Update)> Items => _items;

    /// <summary>The number of items that have the most frequent key.</summary>
    public int MostOccurrences { get; }

    /// <summary>The earliest time in a request id of the group.</summary>
    public DateTimeOffset Earliest { get; } = DateTimeOffset.MaxValue;

    /// <summary>The latest time in a request id of the group.</summary>
    public DateTimeOffset Latest { get; } = DateTimeOffset.MinValue;

    /// <summary>
    /// Whether the group has requests, no id occurs twice, and no key occurs more often than the limit of pending updates per key. If true,
    /// whether all requests can be stored depends only on the database's state, not on their order.
    /// </summary>
    public bool IsPlain { get; }

    /// <summary>Returns each key that occurs in the items, with the number of its occurrences.</summary>
    public IReadOnlyList<(UpdateKey Key, int Occurrences)> Keys()
    {
        var keys = new List<(UpdateKey, int)>(_items.Length);
        for (int i = 0, end; i < _items.Length; i = end)
        {
            end = EndOfKey(i);
            keys.Add((new UpdateKey(_items[i].Update.Structure, _items[i].Update.Key), end - i));
        }
        return keys;
    }

    private static int Compare(AcceptItem one, AcceptItem other)
    {
        int keys = one.Key.Span.SequenceCompareTo(other.Key.Span);
        return keys != 0 ? keys : one.Structure.CompareTo(other.Structure);
    }

    private int EndOfKey(int start)
    {
        int end = start + 1;
        while (end < _items.Length && Compare(_items[start].Update, _items[end].Update) == 0)
        {
            end++;
        }
        return end;
    }
}
