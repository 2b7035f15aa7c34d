namespace Optiks.Storage.Driver;

/// <summary>AcceptGroup is requests that are stored together or not at all, by lists as servers take them. Immutable.</summary>
public sealed class AcceptGroup
{
    private readonly (int Request, int Item, AcceptItem Update)[] _items;

    /// <summary>AcceptGroup of requests in the order in which they are to be stored.</summary>
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

    /// <summary>Requests in the order in which they are to be stored.</summary>
    public IReadOnlyList<AcceptRequest> Requests { get; }

    /// <summary>
    /// Items of all requests, each with the index of its request and its number there, in the order of their keys: so an index by key is gone through from one end to the other, and not back and forth.
    /// </summary>
    public IReadOnlyList<(int Request, int Item, AcceptItem Update)> Items => _items;

    /// <summary>How often the key stands here that stands most often.</summary>
    public int MostOccurrences { get; }

    /// <summary>Earliest time of an id.</summary>
    public DateTimeOffset Earliest { get; } = DateTimeOffset.MaxValue;

    /// <summary>Latest time of an id.</summary>
    public DateTimeOffset Latest { get; } = DateTimeOffset.MinValue;

    /// <summary>
    /// IsPlain: there are requests, no id stands twice, and no key more often than it may wait. Whether all can be stored is then decided by what the database holds, not by their order.
    /// </summary>
    public bool IsPlain { get; }

    /// <summary>Keys of the items, each once, with how often it stands here.</summary>
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
