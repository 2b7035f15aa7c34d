using Optiks.Protocol;

namespace Optiks.Storage;

/// <summary>
/// Decides which requests of a group commit are stored, by the rules of
/// <see cref="IAcceptStore.AcceptAsync(IReadOnlyList{AcceptUnit}, HeadFloor, CancellationToken)"/>, once for all engines. An engine reads
/// the <see cref="AcceptState"/> for <see cref="RequestIds"/> and <see cref="Keys"/>, calls <see cref="Decide(AcceptState)"/>, and inserts
/// <see cref="NewRequests"/> in order, all in one transaction. Not thread-safe.
/// </summary>
/// <remarks>A refused unit leaves no trace: the units after it are decided as if its ids and items did not exist.</remarks>
public sealed class AcceptPlan
{
    private const int BodyHashLength = 32;

    private readonly IReadOnlyList<AcceptUnit> _units;
    private readonly HeadFloor _floor;
    private readonly HashSet<Guid> _requestIds = [];
    private readonly HashSet<UpdateKey> _keys = [];
    private readonly List<AcceptRequest> _newRequests = [];

    // These three fields describe the unit that is being decided: its new requests by id, its new requests in order, and the number of
    // pending updates of each key that the unit changes. The plan adopts their contents only if it accepts the unit.
    private readonly Dictionary<Guid, AcceptRequest> _fresh = [];
    private readonly List<AcceptRequest> _inOrder = [];
    private readonly Dictionary<UpdateKey, int> _added = [];

    /// <summary>
    /// Creates a plan for a group of units and the floor that the database must reach. Calls <see cref="ThrowIfInvalid"/> first.
    /// </summary>
    public AcceptPlan(IReadOnlyList<AcceptUnit> units, HeadFloor floor)
    {
        ArgumentNullException.ThrowIfNull(floor);
        ThrowIfInvalid(units);
        _units = units;
        _floor = floor;
        foreach (AcceptRequest request in units.SelectMany(unit => unit.Requests))
        {
            _requestIds.Add(request.RequestId);
            foreach (AcceptItem item in request.Items)
            {
                _keys.Add(new UpdateKey(item.Structure, item.Key));
            }
        }
    }

    /// <summary>The request ids in the group, without duplicates.</summary>
    public IReadOnlyCollection<Guid> RequestIds => _requestIds;

    /// <summary>The keys that the group updates, without duplicates.</summary>
    public IReadOnlyCollection<UpdateKey> Keys => _keys;

    /// <summary>The requests to insert, in this order. The list is complete after <see cref="Decide(AcceptState)"/>.</summary>
    public IReadOnlyList<AcceptRequest> NewRequests => _newRequests;

    /// <summary>Throws <see cref="ArgumentException"/> if a unit exceeds the bounds of its type, which indicates a bug in the
    /// caller.</summary>
    public static void ThrowIfInvalid(IReadOnlyList<AcceptUnit> units)
    {
        ArgumentNullException.ThrowIfNull(units);
        HashSet<UpdateKey>? own = null;
        foreach (AcceptUnit unit in units)
        {
            foreach (AcceptRequest request in unit.Requests)
            {
                Require(Storage.RequestIds.IsVersion7(request.RequestId), "a request id is not a UUIDv7");
                Require(request.BodyHash.Length == BodyHashLength, "a body hash has the wrong length");
                Require(request.Items.Count is > 0 and <= Limits.ItemsPerRequest, "a request has no items, or too many");
                own?.Clear();
                foreach (AcceptItem item in request.Items)
                {
                    Require(item.Key.Length is > 0 and <= ProtocolLimits.MaxKeyLength, "a key is empty or too long");
                    Require(request.Items.Count == 1 || (own ??= []).Add(new UpdateKey(item.Structure, item.Key)),
                        "a key is twice in one request");
                }
            }
        }
    }

    /// <summary>
    /// Applies the rules to all units and returns one verdict per unit. Adds the accepted requests to the known ids in the given
    /// <paramref name="state"/>, and their items to the state's pending counts. Callers call this method once.
    /// </summary>
    public IReadOnlyList<AcceptResult> Decide(AcceptState state)
    {
        ArgumentNullException.ThrowIfNull(state);
        var results = new AcceptResult[_units.Count];
        if (!_floor.IsMetBy(state.Head))
        {
            Array.Fill(results, new AcceptResult(AcceptStatus.OlderCopy));
            return results;
        }
        for (int i = 0; i < results.Length; i++)
        {
            results[i] = Decide(_units[i].Requests, state);
        }
        return results;
    }

    private AcceptResult Decide(IReadOnlyList<AcceptRequest> requests, AcceptState state)
    {
        _fresh.Clear();
        _inOrder.Clear();
        _added.Clear();
        for (int i = 0; i < requests.Count; i++)
        {
            AcceptRequest request = requests[i];
            bool isKnown = state.Known.TryGetValue(request.RequestId, out ReadOnlyMemory<byte> hash);
            if (!isKnown && _fresh.TryGetValue(request.RequestId, out AcceptRequest? earlier))
            {
                isKnown = true;
                hash = earlier.BodyHash;
            }
            if (isKnown)
            {
                if (!hash.Span.SequenceEqual(request.BodyHash.Span))
                {
                    return new AcceptResult(AcceptStatus.RequestIdReused, i);
                }
                continue;
            }
            DateTimeOffset time = Storage.RequestIds.Time(request.RequestId);
            if (time > state.Now + Limits.RequestIdAhead || time < state.Now - Limits.RequestIdBehind)
            {
                return new AcceptResult(AcceptStatus.RequestIdTime, i);
            }
            for (int j = 0; j < request.Items.Count; j++)
            {
                var key = new UpdateKey(request.Items[j].Structure, request.Items[j].Key);
                int count = _added.GetValueOrDefault(key) + 1;
                if (state.Pending.GetValueOrDefault(key) + count > Limits.PendingPerKey)
                {
                    return new AcceptResult(AcceptStatus.TooManyPending, i, j);
                }
                _added[key] = count;
            }
            _fresh.Add(request.RequestId, request);
            _inOrder.Add(request);
        }
        foreach (AcceptRequest request in _inOrder)
        {
            state.Known.Add(request.RequestId, request.BodyHash);
            _newRequests.Add(request);
        }
        foreach ((UpdateKey key, int count) in _added)
        {
            state.Pending[key] = state.Pending.GetValueOrDefault(key) + count;
        }
        return new AcceptResult(AcceptStatus.Accepted);
    }

    private static void Require(bool condition, string otherwise)
    {
        if (!condition)
        {
            throw new ArgumentException($"Updates cannot be accepted: {otherwise}.");
        }
    }
}
