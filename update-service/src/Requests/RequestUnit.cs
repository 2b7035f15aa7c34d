using Optiks.ServiceDefaults;
using Optiks.Storage;

namespace Optiks.UpdateService.Requests;

/// <summary>
/// Holds a parsed body and the unit for the queue that was made from it, with ids and hashes. Also finds the element of the body to which
/// the queue's verdict refers.
/// </summary>
internal sealed class RequestUnit
{
    private readonly List<int> _elements = [];

    private RequestUnit(ParsedRequests parsed, IReadOnlyList<Guid> ids)
    {
        Parsed = parsed;
        Ids = ids;
    }

    public ParsedRequests Parsed { get; }

    /// <summary>The request ids of the elements, in order. For each element, either the caller gave the id or this class made it.</summary>
    public IReadOnlyList<Guid> Ids { get; }

    /// <summary>The ids of the elements' users, in order; null if the elements are about keys.</summary>
    public IReadOnlyList<ReadOnlyMemory<byte>>? Users { get; private set; }

    /// <summary>Whether any of the elements asks for a receipt.</summary>
    public bool WantsReceipts { get; private set; }

    /// <summary>
    /// The unit to commit. If an element repeats an earlier element's id and content, the unit contains this request only once.
    /// </summary>
    public AcceptUnit Unit { get; private init; } = new([]);

    /// <summary>
    /// Creates the unit. Throws <see cref="ProblemException"/> (request-id-reused) if two elements have the same id but different content.
    /// </summary>
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
            IReadOnlyList<AcceptItem> items = request.ToItems(ids[i]);
            if (PendingRequest.KindOf(items[0].Structure) == RequestKind.User)
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
                throw new ProblemException(
                    new Problem(ProblemTypes.RequestIdReused, "An earlier element has this id and different content.",
                        request.RequestIdPath));
            }
        }
        unit.Users = users;
        return unit;
    }

    /// <summary>Returns the element of the body from which the unit's request with the given index was made.</summary>
    public ParsedRequest Element(int request) => Parsed.Requests[_elements[request]];
}
