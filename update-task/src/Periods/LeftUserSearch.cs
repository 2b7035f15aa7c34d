using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage;
using Optiks.UpdateTask.Pipeline;

namespace Optiks.UpdateTask.Periods;

/// <summary>
/// When users are to be erased, finds their values in ended periods (docs/spec/erasure.md section 1). The task has no trees of ended
/// periods, and no database table has an index by key. The search therefore reads all leaves and copies of the ended periods that are still
/// served. It reads them twice, in pieces between epochs. The first reading finds the users' device lists, and the second finds the keys of
/// the devices on these lists. The requests for these erasures wait until the search ends. Only one thread may use it.
/// </summary>
/// <remarks>
/// Invariant: a search's result stays valid until the next switch, because an ended period never gets new values. An ended period may lose
/// values, so the caller checks again which values still exist before it erases them.
/// </remarks>
internal sealed class LeftUserSearch
{
    private const int RowsPerPiece = 1024;

    // The search keeps at most this many places for one user. More places are not needed, because a user with more than
    // ErasureOrder.MaxValues values cannot be erased in one epoch and is refused.
    private const int MaxPlaces = ErasureOrder.MaxValues + 1;

    private readonly LeasedLog _log;
    private readonly HashSet<UpdateKey> _asked = [];
    private Dictionary<UpdateKey, FoundUser> _found = [];
    private ulong? _period;
    private Scan? _scan;

    /// <summary>Makes an object that searches during one lease.</summary>
    public LeftUserSearch(LeasedLog log) => _log = log;

    private ulong CurrentPeriod => _log.Session.Period.Period;

    /// <summary>
    /// Gives a user's values in ended periods, and returns true. Returns false if the search for the user has not ended yet; the first such
    /// call requests the search.
    /// </summary>
    public bool TryFind(ReadOnlyMemory<byte> user, out FoundUser found)
    {
        if (_period != CurrentPeriod)
        {
            (_period, _scan, _found) = (CurrentPeriod, null, []);
            _asked.Clear();
        }
        var key = new UpdateKey(StructureId.Devices, user);
        if (_period == 0)
        {
            found = new FoundUser();
            return true;
        }
        if (_found.TryGetValue(key, out found!))
        {
            return true;
        }
        _ = _asked.Add(key);
        return false;
    }

    /// <summary>Does one piece of the search. Returns false if no search is in progress or requested.</summary>
    public async Task<bool> WorkAsync(CancellationToken cancellationToken)
    {
        if (_period != CurrentPeriod || (_scan is null && _asked.Count == 0))
        {
            return false;
        }
        if (_scan is null)
        {
            IReadOnlyList<PeriodRow> periods = await _log.Store.ReadPeriodsAsync(cancellationToken);
            _scan = new Scan(_log.Store, [.. periods.Where(period => period.State == PeriodState.Ended)],
                PeriodRows.Current(periods).FirstEpoch!.Value, _asked);
            _asked.Clear();
        }
        if (!await _scan.WorkAsync(cancellationToken))
        {
            // The results of the previous search are replaced. An epoch has decided the requests that needed these results, or the planner
            // requests their search again.
            _found = _scan.Users;
            _scan = null;
        }
        return true;
    }

    /// <summary>Runs one search. It covers all users for whom a search had been requested when it began.</summary>
    private sealed class Scan
    {
        private readonly PipelineStore _store;
        private readonly IReadOnlyList<PeriodRow> _periods;
        private readonly ulong _end;
        private int _index;
        private bool _hasLists;
        private int _copy;
        private (ulong Epoch, int Ordinal)? _leaf;

        public Scan(PipelineStore store, IReadOnlyList<PeriodRow> periods, ulong end, IEnumerable<UpdateKey> users)
        {
            _store = store;
            _periods = periods;
            _end = end;
            Users = users.ToDictionary(user => user, _ => new FoundUser());
        }

        public Dictionary<UpdateKey, FoundUser> Users { get; }

        private PeriodRow Period => _periods[_index];

        private ulong Last => (_index + 1 < _periods.Count ? _periods[_index + 1].FirstEpoch!.Value : _end) - 1;

        // Reads the next piece of a period. The scan reads each period twice, first for device lists and then for keys. A key belongs to a
        // user if its device is on one of the user's lists in this period. A key also belongs to a user if its device belonged to the user
        // in the previous period and this period begins with a copy of the key.
        public async Task<bool> WorkAsync(CancellationToken cancellationToken)
        {
            if (_index == _periods.Count)
            {
                return false;
            }
            if (_copy < Period.Copies)
            {
                CopyBatch copies = await _store.ReadCopiesAsync(
                    Period.Period, _copy, Math.Min(RowsPerPiece, Period.Copies.Value - _copy), LeafColumns.All, cancellationToken);
                for (int i = 0; i < copies.Rows.Length; i++)
                {
                    LeafRow row = copies.Rows.Span[i];
                    if (row.ValueOffset != LeafRow.NoValue)
                    {
                        Take(row.Structure, copies.Key(i), copies.Value(i),
                            new LeafPlace(0, copies.First + i, HasValue: true) { Period = Period.Period });
                    }
                }
                _copy = copies.Rows.IsEmpty
                    ? throw new StorageCorruptException($"The database lacks copy {_copy} of period {Period.Period}: restore it.")
                    : copies.End;
                return true;
            }
            (ulong epoch, int ordinal) = _leaf ?? (Math.Max(1, Period.FirstEpoch!.Value), 0);
            IReadOnlyList<StoredLeaf> leaves = await _store.ReadLeavesAsync(epoch, ordinal, RowsPerPiece, cancellationToken);
            foreach (StoredLeaf leaf in leaves.TakeWhile(leaf => leaf.Epoch <= Last))
            {
                if (leaf.Value is { } value)
                {
                    Take(leaf.Structure, value.Key, value.Value, new LeafPlace(leaf.Epoch, leaf.Ordinal, HasValue: true));
                }
            }
            if (leaves.Count > 0 && leaves[^1].Epoch <= Last)
            {
                _leaf = (leaves[^1].Epoch, leaves[^1].Ordinal + 1);
                return true;
            }
            EndReading();
            return true;
        }

        private void EndReading()
        {
            (_copy, _leaf) = (0, null);
            if (!_hasLists)
            {
                _hasLists = true;
                return;
            }
            _hasLists = false;
            _index++;
            foreach (FoundUser user in Users.Values)
            {
                user.EndPeriod();
            }
        }

        private void Take(StructureId structure, ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> value, LeafPlace place)
        {
            if (!_hasLists)
            {
                if (structure == StructureId.Devices && Users.TryGetValue(new UpdateKey(structure, key), out FoundUser? owner))
                {
                    owner.AddList(place, DeviceLists.Decode(value, place));
                }
                return;
            }
            if (structure == StructureId.Keys)
            {
                foreach (FoundUser user in Users.Values)
                {
                    user.TryAddKey(key, place);
                }
            }
        }
    }

    /// <summary>Holds a user's values and devices in ended periods.</summary>
    internal sealed class FoundUser
    {
        private readonly List<LeafPlace> _places = [];
        private readonly HashSet<UpdateKey> _before = [];
        private readonly HashSet<UpdateKey> _devices = [];

        /// <summary>
        /// The places of the user's values. If the user has more values than one epoch may erase, the list has only one more place than
        /// that number.
        /// </summary>
        public IReadOnlyList<LeafPlace> Places => _places;

        /// <summary>
        /// The user's devices at the end of the last ended period. If the current period begins with copies of these devices' keys, the
        /// copies belong to the user.
        /// </summary>
        public IReadOnlyCollection<UpdateKey> Devices => _before;

        public void AddList(LeafPlace place, IEnumerable<ReadOnlyMemory<byte>> devices)
        {
            Add(place);
            // Each device id is copied into its own array, because the original array holds a whole page of rows and would stay in memory.
            _devices.UnionWith(devices.Select(device => new UpdateKey(StructureId.Keys, device.ToArray())));
        }

        public void TryAddKey(ReadOnlyMemory<byte> key, LeafPlace place)
        {
            var device = new UpdateKey(StructureId.Keys, key);
            // This value is a copy from the previous period, so no other user can have taken over the device id since that period.
            if (place.Period is not null && _before.Contains(device))
            {
                _ = _devices.Add(new UpdateKey(StructureId.Keys, key.ToArray()));
            }
            if (_devices.Contains(device))
            {
                Add(place);
            }
        }

        public void EndPeriod()
        {
            _before.Clear();
            _before.UnionWith(_devices);
            _devices.Clear();
        }

        private void Add(LeafPlace place)
        {
            if (_places.Count < MaxPlaces)
            {
                _places.Add(place);
            }
        }
    }
}
