using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>
/// ErasurePlanner decides the requests of an epoch that ask for erasures, by the epoch before, and finds the leaves that they mean. It charges each request for the leaves that it looks up, not for those that
/// the request claims: a request that is refused by the trees alone costs nothing. When the epoch's share (<see cref="ErasureOrder.MaxValues"/>) is used up, the requests that need more leaves wait in their
/// order; the first of an epoch never waits. One thread.
/// </summary>
internal sealed class ErasurePlanner
{
    // A user whose lists and keys ever had more versions is refused before any of them is looked up: that holds up the epoch.
    private const int MaxVersionsOfUser = 4 * ErasureOrder.MaxValues;

    private static readonly Refusal s_done = new(RefusalReason.Unchanged, 0, default);

    private static readonly Refusal s_waits = new(RefusalReason.Unchanged, 0, default);

    private readonly LogSession _session;
    private readonly IPipelineStore _store;
    private readonly List<Erasure> _erasures = [];
    private readonly List<LeafName> _leaves = [];
    private readonly HashSet<UpdateKey> _leaving = [];
    private readonly HashSet<(ulong Epoch, ulong? Period, int Ordinal)> _erased = [];
    private readonly Dictionary<Guid, Refusal> _decisions = [];
    private readonly HashSet<Guid> _waiting = [];
    private int _charged;
    private bool _isFirst;
    private bool _isFull;

    private ErasurePlanner(LogSession session, IPipelineStore store)
    {
        _session = session;
        _store = store;
    }

    /// <summary>PlanAsync changes nothing. Requests that ask for no erasure are passed over.</summary>
    public static async Task<ErasurePlan> PlanAsync(LogSession session, IPipelineStore store, IReadOnlyList<PendingRequest> pending, CancellationToken cancellationToken)
    {
        ErasurePlanner? planner = null;
        foreach (PendingRequest request in pending)
        {
            if (ErasureOrder.IsIn(request))
            {
                planner ??= new ErasurePlanner(session, store);
                await planner.AddAsync(request, cancellationToken);
            }
        }
        return planner is null ? ErasurePlan.None : new ErasurePlan(planner._erasures, planner._leaves, planner._decisions) { Leaving = planner._leaving, Waiting = planner._waiting };
    }

    private async Task AddAsync(PendingRequest request, CancellationToken cancellationToken)
    {
        ErasureOrder order = ErasureOrder.Of(request);
        ReadOnlyMemory<byte> key = request.Items[0].Key;
        var names = new List<LeafName>();
        var leaving = new List<UpdateKey>();
        _isFirst = _charged == 0;
        Refusal? refusal = order.Structure is { } structure ? AddVersions(names, order, structure, key) : await AddUserAsync(names, leaving, key, cancellationToken);
        if (refusal is null)
        {
            IReadOnlyList<LeafPlace> places = await FindAsync(names, cancellationToken);
            refusal = places.Count(place => place.HasValue) > ErasureOrder.MaxValues ? Refused(RefusalReason.ErasureLimit) : Add(request, names, places);
            _leaving.UnionWith(ReferenceEquals(refusal, s_done) ? leaving : []);
        }
        if (ReferenceEquals(refusal, s_waits))
        {
            _ = _waiting.Add(request.RequestId);
            return;
        }
        _decisions[request.RequestId] = refusal;
    }

    private bool TryCharge(ulong leaves)
    {
        // Once full it stays so: a small request does not overtake a large one.
        _isFull |= !_isFirst && (ulong)_charged + leaves > ErasureOrder.MaxValues;
        _charged += _isFull ? 0 : (int)leaves;
        return !_isFull;
    }

    private Refusal Add(PendingRequest request, List<LeafName> names, IReadOnlyList<LeafPlace> places)
    {
        for (int i = 0; i < places.Count; i++)
        {
            // What is gone already, or goes for another request of this epoch, is as it was asked to be.
            if (places[i].HasValue && _erased.Add((places[i].Epoch, places[i].Period, places[i].Ordinal)))
            {
                _erasures.Add(new Erasure(places[i].Epoch, places[i].Ordinal, new LeafOrigin(request.RequestId, 0)) { Period = places[i].Period });
                _leaves.Add(names[i]);
            }
        }
        return s_done;
    }

    private Refusal? AddVersions(List<LeafName> names, ErasureOrder order, StructureId structure, ReadOnlyMemory<byte> key)
    {
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
        AddNames(names, structure, key, order.From, (int)count);
        return null;
    }

    // The lists' versions, and those of the keys of all devices that these lists name, the latest too.
    private async Task<Refusal?> AddUserAsync(List<LeafName> names, List<UpdateKey> leaving, ReadOnlyMemory<byte> user, CancellationToken cancellationToken)
    {
        if (!_session.Directory.TryLeaves(StructureId.Decommissioned, user.Span, 0, new byte[Lengths.Hash], new ulong[1]))
        {
            return Refused(RefusalReason.UserNotLeft);
        }
        ulong lists = LatestVersion(StructureId.Devices, user);
        if (lists > MaxVersionsOfUser)
        {
            return Refused(RefusalReason.ErasureLimit);
        }
        if (!TryCharge(lists))
        {
            return s_waits;
        }
        AddNames(names, StructureId.Devices, user, 1, (int)lists);
        IReadOnlyList<LeafPlace> places = await FindAsync(names, cancellationToken);
        if (places.Count(place => place.HasValue) > ErasureOrder.MaxValues)
        {
            return Refused(RefusalReason.ErasureLimit);
        }
        var devices = new HashSet<UpdateKey>();
        foreach (LeafPlace place in places.Where(place => place.HasValue))
        {
            ReadOnlyMemory<byte> list = await _store.ReadValueAsync(place, cancellationToken)
                ?? throw new StorageCorruptException($"The database lost the value of leaf {place.Ordinal} of epoch {place.Epoch} while it was read: restore it.");
            devices.UnionWith(DevicesOf(list, place).Select(device => new UpdateKey(StructureId.Keys, device)));
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
            AddNames(names, StructureId.Keys, device.Key, 1, (int)versions);
        }
        leaving.Add(new UpdateKey(StructureId.Devices, user));
        leaving.AddRange(devices);
        return null;
    }

    private static IReadOnlyList<ReadOnlyMemory<byte>> DevicesOf(ReadOnlyMemory<byte> list, LeafPlace place)
    {
        try
        {
            return DeviceList.Decode(list);
        }
        catch (EncodingException e)
        {
            throw new StorageCorruptException($"The value of leaf {place.Ordinal} of epoch {place.Epoch} is no list of devices: see 'optiks-db fsck'.", e);
        }
    }

    private async Task<IReadOnlyList<LeafPlace>> FindAsync(List<LeafName> names, CancellationToken cancellationToken)
    {
        IReadOnlyList<LeafPlace?> places = names.Count == 0 ? [] : await _store.FindLeavesAsync(names, cancellationToken);
        return [.. places.Select((place, i) => place ?? throw new StorageCorruptException($"The database lacks a leaf of epoch {names[i].Epoch} that the trees have: restore it."))];
    }

    private ulong LatestVersion(StructureId structure, ReadOnlyMemory<byte> key)
    {
        using var keys = new ByteStrings();
        keys.Add(key.Span);
        ulong[] versions = new ulong[1];
        _session.Directory.Versions([structure], keys, versions);
        return versions[0];
    }

    private void AddNames(List<LeafName> names, StructureId structure, ReadOnlyMemory<byte> key, ulong from, int count)
    {
        byte[] labels = new byte[Lengths.Hash * count];
        ulong[] epochs = new ulong[count];
        if (!_session.Directory.TryLeaves(structure, key.Span, from, labels, epochs))
        {
            throw new StorageCorruptException("The trees lack a version of a key below its latest: start again without the task's snapshot.");
        }
        for (int i = 0; i < count; i++)
        {
            // Leaf epoch 0 is a copy's, with which the period began.
            names.Add(new LeafName(epochs[i], structure, labels.AsMemory(Lengths.Hash * i, Lengths.Hash)) { Period = epochs[i] == 0 ? _session.Period.Period : null });
        }
    }

    private Refusal Refused(RefusalReason reason, ulong latest = 0) => new(reason, 0, new ExpectedVersion(_session.Period.Period, latest));
}
