using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage;
using Optiks.UpdateTask.Periods;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>
/// Decides an epoch's requests that ask for erasures, by the state of the previous epoch, and finds the leaves to erase. One epoch looks up
/// at most <see cref="ErasureOrder.MaxValues"/> leaves for such requests. The planner counts the leaves that it must look up for a request.
/// For a request that it can refuse with the trees in memory, it counts no leaves. Once the limit is reached, the further requests that
/// need leaves wait for the next epoch, in their order. The first request of an epoch never waits. Only one thread may use it.
/// </summary>
internal sealed class ErasurePlanner
{
    // If a user's lists and keys have more versions than this, the request is refused before the versions are looked up, because the lookup
    // would delay the epoch.
    private const int MaxVersionsOfUser = 4 * ErasureOrder.MaxValues;

    private readonly LogSession _session;
    private readonly PipelineStore _store;
    private readonly LeftUserSearch _leftUsers;
    private readonly List<Erasure> _erasures = [];
    private readonly List<LeafName?> _leaves = [];
    private readonly HashSet<UpdateKey> _leaving = [];
    private readonly HashSet<(ulong Epoch, ulong? Period, int Ordinal)> _erased = [];
    private readonly Dictionary<Guid, Refusal?> _decisions = [];
    private readonly HashSet<Guid> _waiting = [];
    private readonly HashSet<Guid> _searched = [];
    private int _charged;
    private bool _isFirst;
    private bool _isFull;

    private ErasurePlanner(LogSession session, PipelineStore store, LeftUserSearch leftUsers)
    {
        _session = session;
        _store = store;
        _leftUsers = leftUsers;
    }

    /// <summary>
    /// Plans the erasures that an epoch's requests ask for; skips all other requests. Changes neither database nor trees, but may request a
    /// search in ended periods.
    /// </summary>
    public static async Task<ErasurePlan> PlanAsync(
        LogSession session, PipelineStore store, LeftUserSearch leftUsers, IReadOnlyList<PendingRequest> pending,
        CancellationToken cancellationToken)
    {
        ErasurePlanner? planner = null;
        foreach (PendingRequest request in pending)
        {
            if (request.Kind == RequestKind.Erasure)
            {
                planner ??= new ErasurePlanner(session, store, leftUsers);
                await planner.AddAsync(request, cancellationToken);
            }
        }
        return planner is null
            ? ErasurePlan.None
            : new ErasurePlan(planner._erasures, planner._leaves,
                planner._decisions)
            { Leaving = planner._leaving, Waiting = planner._waiting, Searched = planner._searched };
    }

    private async Task AddAsync(PendingRequest request, CancellationToken cancellationToken)
    {
        ErasureOrder order = ErasureOrder.Parse(request);
        ReadOnlyMemory<byte> key = request.Items[0].Key;
        var names = new List<LeafName>();
        var ended = new List<LeafPlace>();
        var leaving = new List<UpdateKey>();
        _isFirst = _charged == 0;
        Verdict verdict = order.Structure is { } structure
            ? AddVersions(names, order, structure, key)
            : await AddUserAsync(names, ended, leaving, key, cancellationToken);
        if (verdict.Step == Step.Erase)
        {
            IReadOnlyList<LeafPlace> places = [.. await LeafNames.FindAsync(_store, names, cancellationToken),
                .. await HavingValuesAsync(ended, cancellationToken)];
            verdict = places.Count == 0 ? Refuse(RefusalReason.NothingLeft)
                : places.Count(place => place.HasValue) > ErasureOrder.MaxValues ? Refuse(RefusalReason.ErasureLimit)
                : verdict;
            if (verdict.Step == Step.Erase)
            {
                Add(request, names, places);
                _leaving.UnionWith(leaving);
            }
        }
        switch (verdict.Step)
        {
            case Step.Wait:
                _ = _waiting.Add(request.RequestId);
                break;
            case Step.Search:
                _ = _searched.Add(request.RequestId);
                break;
            default:
                _decisions[request.RequestId] = verdict.Refusal;
                break;
        }
    }

    private bool TryCharge(ulong leaves)
    {
        // Once one request does not fit in the epoch's limit, all later requests of the epoch wait too. Otherwise a small request could
        // overtake a large one.
        _isFull |= !_isFirst && (ulong)_charged + leaves > ErasureOrder.MaxValues;
        _charged += _isFull ? 0 : (int)leaves;
        return !_isFull;
    }

    private void Add(PendingRequest request, List<LeafName> names, IReadOnlyList<LeafPlace> places)
    {
        for (int i = 0; i < places.Count; i++)
        {
            // A value needs no erasure here if it was erased before, or if another request of this epoch erases it.
            if (places[i].HasValue && _erased.Add((places[i].Epoch, places[i].Period, places[i].Ordinal)))
            {
                _erasures.Add(
                    new Erasure(places[i].Epoch, places[i].Ordinal, new LeafOrigin(request.RequestId, 0)) { Period = places[i].Period });
                // The first places are in the current period and have names, because the task has this period's trees. The remaining places
                // are in ended periods and have no names.
                _leaves.Add(i < names.Count ? names[i] : null);
            }
        }
    }

    private Verdict AddVersions(List<LeafName> names, ErasureOrder order, StructureId structure, ReadOnlyMemory<byte> key)
    {
        if (structure == StructureId.Devices && HasLeft(key))
        {
            // A request cannot erase only the device lists of a user who has left. The later erasure of the whole user needs the lists,
            // because only they name the user's devices.
            return Refuse(RefusalReason.ErasedWithUser);
        }
        ulong latest = LatestVersion(structure, key);
        if (order.Period is ulong period && period != _session.Period.Period)
        {
            return Refuse(RefusalReason.OtherPeriod, latest);
        }
        if (order.Through >= latest)
        {
            return Refuse(RefusalReason.LatestVersion, latest);
        }
        ulong count = order.Through - order.From + 1;
        if (!TryCharge(count))
        {
            return new Verdict(Step.Wait);
        }
        LeafNames.Add(_session, names, structure, key, order.From, (int)count);
        return new Verdict(Step.Erase);
    }

    private bool HasLeft(ReadOnlyMemory<byte> user) =>
        _session.Directory.TryLeaves(StructureId.Decommissioned, user.Span, 0, new byte[Lengths.Hash], new ulong[1]);

    // Returns those places that still have a value. A value that the search in ended periods found may have been erased or destroyed since.
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

    // Adds all versions of a user's device lists, and all versions of the keys of all devices on these lists, including the latest
    // versions. The versions are of the current period and of ended periods that are still served.
    private async Task<Verdict> AddUserAsync(List<LeafName> names, List<LeafPlace> ended, List<UpdateKey> leaving,
        ReadOnlyMemory<byte> user, CancellationToken cancellationToken)
    {
        if (!HasLeft(user))
        {
            return Refuse(RefusalReason.UserNotLeft);
        }
        if (!_leftUsers.TryFind(user, out LeftUserSearch.FoundUser found))
        {
            return new Verdict(Step.Search);
        }
        ulong lists = LatestVersion(StructureId.Devices, user);
        if (lists > MaxVersionsOfUser)
        {
            return Refuse(RefusalReason.ErasureLimit);
        }
        if (!TryCharge(lists + (ulong)found.Places.Count))
        {
            return new Verdict(Step.Wait);
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
            return Refuse(RefusalReason.ErasureLimit);
        }
        // A device from an ended period still belongs to the user only if version 1 of its key in the current period is a copy. Otherwise
        // the device id became free and may belong to another user now.
        HashSet<UpdateKey> devices = [.. found.Devices.Where(device => BeginsWithCopy(device.Key))];
        foreach (LeafPlace place in places.Where(place => place.HasValue))
        {
            ReadOnlyMemory<byte> list = await _store.ReadValueAsync(place, cancellationToken)
                ?? throw new StorageCorruptException(
                    $"The database lost the value of leaf {place.Ordinal} of epoch {place.Epoch} while it was read: restore it.");
            devices.UnionWith(DeviceLists.Decode(list, place).Select(device => new UpdateKey(StructureId.Keys, device)));
        }
        foreach (UpdateKey device in devices)
        {
            ulong versions = LatestVersion(StructureId.Keys, device.Key);
            if (versions > (ulong)(MaxVersionsOfUser - names.Count))
            {
                return Refuse(RefusalReason.ErasureLimit);
            }
            if (!TryCharge(versions))
            {
                return new Verdict(Step.Wait);
            }
            if (versions > 0)
            {
                LeafNames.Add(_session, names, StructureId.Keys, device.Key, 1, (int)versions);
            }
        }
        leaving.Add(new UpdateKey(StructureId.Devices, user));
        leaving.AddRange(devices);
        return new Verdict(Step.Erase);
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

    private Verdict Refuse(RefusalReason reason, ulong latest = 0) =>
        new(Step.Refuse, new Refusal(reason, 0, new ExpectedVersion(_session.Period.Period, latest)));

    // The next step for a request. Either this epoch carries out the erasure or refuses the request, or the request waits. It waits for the
    // next epoch, or for a search in ended periods.
    private enum Step
    {
        Erase,
        Refuse,
        Wait,
        Search,
    }

    private readonly record struct Verdict(Step Step, Refusal? Refusal = null);
}
