using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage;
using Optiks.UpdateTask.Periods;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>
/// Decides the requests of an epoch that ask for erasures, by the state of the epoch before, and finds the leaves to erase. It charges each
/// request for the leaves that the planner looks up, and not for the leaves that the request claims. A request that the trees alone refuse
/// costs nothing. When the epoch's share (<see cref="ErasureOrder.MaxValues"/>) is used up, requests that need more leaves wait in their
/// order; the first request of an epoch never waits. One thread.
/// </summary>
internal sealed class ErasurePlanner
{
    // A user whose lists and keys have had more versions than this is refused before any version is looked up, because the lookup delays
    // the epoch.
    private const int MaxVersionsOfUser = 4 * ErasureOrder.MaxValues;

    private static readonly Refusal s_done = new(RefusalReason.Unchanged, 0, default);

    private static readonly Refusal s_waits = new(RefusalReason.Unchanged, 0, default);

    private static readonly Refusal s_searched = new(RefusalReason.Unchanged, 0, default);

    private readonly LogSession _session;
    private readonly IPipelineStore _store;
    private readonly LeftUserSearch _leftUsers;
    private readonly List<Erasure> _erasures = [];
    private readonly List<LeafName?> _leaves = [];
    private readonly HashSet<UpdateKey> _leaving = [];
    private readonly HashSet<(ulong Epoch, ulong? Period, int Ordinal)> _erased = [];
    private readonly Dictionary<Guid, Refusal> _decisions = [];
    private readonly HashSet<Guid> _waiting = [];
    private readonly HashSet<Guid> _searched = [];
    private int _charged;
    private bool _isFirst;
    private bool _isFull;

    private ErasurePlanner(LogSession session, IPipelineStore store, LeftUserSearch leftUsers)
    {
        _session = session;
        _store = store;
        _leftUsers = leftUsers;
    }

    /// <summary>Plans the erasures. Changes nothing, but may request a search. Skips requests that ask for no erasure.</summary>
    public static async Task<ErasurePlan> PlanAsync(
        LogSession session, IPipelineStore store, LeftUserSearch leftUsers, IReadOnlyList<PendingRequest> pending, CancellationToken cancellationToken)
    {
        ErasurePlanner? planner = null;
        foreach (PendingRequest request in pending)
        {
            if (ErasureOrder.IsErasure(request))
            {
                planner ??= new ErasurePlanner(session, store, leftUsers);
                await planner.AddAsync(request, cancellationToken);
            }
        }
        return planner is null
            ? ErasurePlan.None
            : new ErasurePlan(planner._erasures, planner._leaves, planner._decisions) { Leaving = planner._leaving, Waiting = planner._waiting, Searched = planner._searched };
    }

    private async Task AddAsync(PendingRequest request, CancellationToken cancellationToken)
    {
        ErasureOrder order = ErasureOrder.Parse(request);
        ReadOnlyMemory<byte> key = request.Items[0].Key;
        var names = new List<LeafName>();
        var ended = new List<LeafPlace>();
        var leaving = new List<UpdateKey>();
        _isFirst = _charged == 0;
        Refusal? refusal = order.Structure is { } structure ? AddVersions(names, order, structure, key) : await AddUserAsync(names, ended, leaving, key, cancellationToken);
        if (refusal is null)
        {
            IReadOnlyList<LeafPlace> places = [.. await LeafNames.FindAsync(_store, names, cancellationToken), .. await HavingValuesAsync(ended, cancellationToken)];
            refusal = places.Count == 0 ? Refused(RefusalReason.NothingLeft)
                : places.Count(place => place.HasValue) > ErasureOrder.MaxValues ? Refused(RefusalReason.ErasureLimit)
                : Add(request, names, places);
            _leaving.UnionWith(ReferenceEquals(refusal, s_done) ? leaving : []);
        }
        if (ReferenceEquals(refusal, s_waits))
        {
            _ = _waiting.Add(request.RequestId);
            return;
        }
        if (ReferenceEquals(refusal, s_searched))
        {
            _ = _searched.Add(request.RequestId);
            return;
        }
        _decisions[request.RequestId] = refusal;
    }

    private bool TryCharge(ulong leaves)
    {
        // Once the share is full, it stays full, so that a small request does not overtake a large request.
        _isFull |= !_isFirst && (ulong)_charged + leaves > ErasureOrder.MaxValues;
        _charged += _isFull ? 0 : (int)leaves;
        return !_isFull;
    }

    private Refusal Add(PendingRequest request, List<LeafName> names, IReadOnlyList<LeafPlace> places)
    {
        for (int i = 0; i < places.Count; i++)
        {
            // A value that is gone already, or that another request of this epoch erases, needs no erasure here.
            if (places[i].HasValue && _erased.Add((places[i].Epoch, places[i].Period, places[i].Ordinal)))
            {
                _erasures.Add(new Erasure(places[i].Epoch, places[i].Ordinal, new LeafOrigin(request.RequestId, 0)) { Period = places[i].Period });
                // The first places belong to the names, which are of the current period, like the task's trees. The further places are of
                // ended periods and have no names.
                _leaves.Add(i < names.Count ? names[i] : null);
            }
        }
        return s_done;
    }

    private Refusal? AddVersions(List<LeafName> names, ErasureOrder order, StructureId structure, ReadOnlyMemory<byte> key)
    {
        if (structure == StructureId.Devices && HasLeft(key))
        {
            // The device lists of a user who has left cannot be erased alone, because only the lists say which devices are erased with the
            // user.
            return Refused(RefusalReason.ErasedWithUser);
        }
        ulong latest = LatestVersion(structure, key);
        if (order.Period is ulong period && period != _session.Period.Period)
        {
            return Refused(RefusalReason.OtherPeriod, latest);
        }
        if (order.Through >= latest)
        {
            return Refused(RefusalReason.LatestVersion, latest);
        }
        ulong count = order.Through - order.From + 1;
        if (!TryCharge(count))
        {
            return s_waits;
        }
        LeafNames.Add(_session, names, structure, key, order.From, (int)count);
        return null;
    }

    private bool HasLeft(ReadOnlyMemory<byte> user) => _session.Directory.TryLeaves(StructureId.Decommissioned, user.Span, 0, new byte[Lengths.Hash], new ulong[1]);

    // Returns the places that still have a value: a value that a search found may have been erased or destroyed since.
    private async Task<List<LeafPlace>> HavingValuesAsync(List<LeafPlace> ended, CancellationToken cancellationToken)
    {
        var left = new List<LeafPlace>();
        foreach (LeafPlace place in ended)
        {
            if (await _store.ReadValueAsync(place, cancellationToken) is not null)
            {
                left.Add(place);
            }
        }
        return left;
    }

    // Adds the versions of the lists, and those of the keys of all devices on these lists, including the latest. The versions are of this
    // period, and of ended periods that are still served.
    private async Task<Refusal?> AddUserAsync(List<LeafName> names, List<LeafPlace> ended, List<UpdateKey> leaving, ReadOnlyMemory<byte> user, CancellationToken cancellationToken)
    {
        if (!HasLeft(user))
        {
            return Refused(RefusalReason.UserNotLeft);
        }
        if (!_leftUsers.TryFind(user, out LeftUserSearch.FoundUser found))
        {
            return s_searched;
        }
        ulong lists = LatestVersion(StructureId.Devices, user);
        if (lists > MaxVersionsOfUser)
        {
            return Refused(RefusalReason.ErasureLimit);
        }
        if (!TryCharge(lists + (ulong)found.Places.Count))
        {
            return s_waits;
        }
        ended.AddRange(found.Places);
        IReadOnlyList<LeafPlace> places = [];
        if (lists > 0)
        {
            LeafNames.Add(_session, names, StructureId.Devices, user, 1, (int)lists);
            places = await LeafNames.FindAsync(_store, names, cancellationToken);
        }
        if (places.Count(place => place.HasValue) > ErasureOrder.MaxValues)
        {
            return Refused(RefusalReason.ErasureLimit);
        }
        // A device of an ended period counts only if its key begins with a copy in this period. Otherwise its id became free and may belong
        // to another user.
        HashSet<UpdateKey> devices = [.. found.Devices.Where(device => BeginsWithCopy(device.Key))];
        foreach (LeafPlace place in places.Where(place => place.HasValue))
        {
            ReadOnlyMemory<byte> list = await _store.ReadValueAsync(place, cancellationToken)
                ?? throw new StorageCorruptException($"The database lost the value of leaf {place.Ordinal} of epoch {place.Epoch} while it was read: restore it.");
            devices.UnionWith(DeviceLists.Decode(list, place).Select(device => new UpdateKey(StructureId.Keys, device)));
        }
        foreach (UpdateKey device in devices)
        {
            ulong versions = LatestVersion(StructureId.Keys, device.Key);
            if (versions > (ulong)(MaxVersionsOfUser - names.Count))
            {
                return Refused(RefusalReason.ErasureLimit);
            }
            if (!TryCharge(versions))
            {
                return s_waits;
            }
            if (versions > 0)
            {
                LeafNames.Add(_session, names, StructureId.Keys, device.Key, 1, (int)versions);
            }
        }
        leaving.Add(new UpdateKey(StructureId.Devices, user));
        leaving.AddRange(devices);
        return null;
    }

    private bool BeginsWithCopy(ReadOnlyMemory<byte> device)
    {
        ulong[] epochs = new ulong[1];
        return _session.Directory.TryLeaves(StructureId.Keys, device.Span, 1, new byte[Lengths.Hash], epochs) && epochs[0] == 0;
    }

    private ulong LatestVersion(StructureId structure, ReadOnlyMemory<byte> key)
    {
        using var keys = new ByteStrings();
        keys.Add(key.Span);
        ulong[] versions = new ulong[1];
        _session.Directory.Versions([structure], keys, versions);
        return versions[0];
    }

    private Refusal Refused(RefusalReason reason, ulong latest = 0) => new(reason, 0, new ExpectedVersion(_session.Period.Period, latest));
}
