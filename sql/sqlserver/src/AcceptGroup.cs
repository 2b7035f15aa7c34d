using System.Runtime.InteropServices;

namespace Optiks.Storage.SqlServer;

/// <summary>AcceptGroup is requests as the lists that one batch takes (<see cref="AcceptBatch"/>), numbered from 1 on in the order in which they are to be stored.</summary>
internal sealed class AcceptGroup
{
    /// <summary>AcceptGroup of at least one request.</summary>
    public AcceptGroup(IReadOnlyList<AcceptRequest> requests)
    {
        Requests = [.. requests.Select((request, i) => (i + 1L, request.RequestId, request.BodyHash))];
        Items = [.. requests.SelectMany((request, i) => request.Items.Select((item, j) => (i + 1L, j, item)))];
        var occurrences = new Dictionary<UpdateKey, int>();
        foreach (AcceptItem item in requests.SelectMany(request => request.Items))
        {
            CollectionsMarshal.GetValueRefOrAddDefault(occurrences, new UpdateKey(item.Structure, item.Key), out _)++;
        }
        Keys = [.. occurrences.Select((key, i) => (i, key.Key, key.Value))];
        Earliest = requests.Min(request => RequestIds.Time(request.RequestId));
        Latest = requests.Max(request => RequestIds.Time(request.RequestId));
        IsPlain = requests.Select(request => request.RequestId).Distinct().Count() == requests.Count && occurrences.Values.All(count => count <= Limits.PendingPerKey);
    }

    /// <summary>Requests with their numbers.</summary>
    public IReadOnlyList<(long Number, Guid RequestId, ReadOnlyMemory<byte> BodyHash)> Requests { get; }

    /// <summary>Items with the numbers of their requests.</summary>
    public IReadOnlyList<(long Number, int Item, AcceptItem Update)> Items { get; }

    /// <summary>Keys, each once with its place in this list and how often it stands in the group.</summary>
    public IReadOnlyList<(int Number, UpdateKey Key, int Occurrences)> Keys { get; }

    /// <summary>Earliest time of an id.</summary>
    public DateTimeOffset Earliest { get; }

    /// <summary>Latest time of an id.</summary>
    public DateTimeOffset Latest { get; }

    /// <summary>IsPlain: no id stands twice and no key more often than it may wait. Whether all can be stored is then decided by what the database holds, not by their order.</summary>
    public bool IsPlain { get; }
}
