using Optiks.ServiceDefaults;
using Optiks.Storage;

namespace Optiks.UpdateService.Requests;

/// <summary>RequestUnit is a parsed body with ids and hashes: what the queue takes, and the way back from its verdict to the element of the body.</summary>
internal sealed class RequestUnit
{
    private readonly List<int> _elements = [];

    private RequestUnit(ParsedRequests parsed, IReadOnlyList<Guid> ids)
    {
        Parsed = parsed;
        Ids = ids;
    }

    public ParsedRequests Parsed { get; }

    /// <summary>Ids of the elements, in order: the caller's, or made here.</summary>
    public IReadOnlyList<Guid> Ids { get; }

    /// <summary>Users whom the elements are about, in order; null: they are about keys.</summary>
    public IReadOnlyList<ReadOnlyMemory<byte>>? Users { get; private set; }

    /// <summary>WantsReceipts says whether any of the elements asks for one.</summary>
    public bool WantsReceipts { get; private set; }

    /// <summary>Unit to commit. An element that repeats an earlier one's id and content is not in it again.</summary>
    public AcceptUnit Unit { get; private init; } = new([]);

    /// <summary>Create makes the unit. Throws <see cref="ProblemException"/> (request-id-reused) when two elements have one id and other content.</summary>
    public static RequestUnit Create(ParsedRequests parsed, DateTimeOffset now)
    {
        var ids = new Guid[parsed.Requests.Count];
        var requests = new List<AcceptRequest>(ids.Length);
        var indexes = new Dictionary<Guid, int>(ids.Length);
        var unit = new RequestUnit(parsed, ids) { Unit = new AcceptUnit(requests) };
        ReadOnlyMemory<byte>[]? users = null;
        for (int i = 0; i < ids.Length; i++)
        {
            ParsedRequest request = parsed.Requests[i];
            unit.WantsReceipts |= request.WantsReceipt;
            ids[i] = request.RequestId ?? Guid.CreateVersion7(now);
            IReadOnlyList<AcceptItem> items = request.ItemsOf(ids[i]);
            if (UserChange.IsIn(items))
            {
                (users ??= new ReadOnlyMemory<byte>[ids.Length])[i] = items[UserChange.ItemIndex].Key;
            }
            byte[] hash = BodyHash.Compute(items);
            if (indexes.TryAdd(ids[i], requests.Count))
            {
                requests.Add(new AcceptRequest(ids[i], hash, items));
                unit._elements.Add(i);
            }
            else if (!requests[indexes[ids[i]]].BodyHash.Span.SequenceEqual(hash))
            {
                throw new ProblemException(new Problem(ProblemTypes.RequestIdReused, "An earlier element has this id and other content.", request.RequestIdPath));
            }
        }
        unit.Users = users;
        return unit;
    }

    /// <summary>Element of the body that a request of the unit came from.</summary>
    public ParsedRequest Element(int request) => Parsed.Requests[_elements[request]];
}
