using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage;
using Optiks.UpdateTask.Pipeline;

namespace Optiks.UpdateTask.Periods;

/// <summary>
/// LeftUserSearch finds the values that ended periods still have of users who are to be erased (docs/spec/erasure.md section 1). The task has no trees of these periods and no table has an index by key, so the search reads
/// all leaves and copies of the served periods twice, piece by piece between epochs: first the device lists, then the keys of the devices on them. Requests wait meanwhile. One thread.
/// </summary>
/// <remarks>
/// Invariant: what was found stays true until the next switch. Nothing is added to a period that has ended; values may go, so whoever erases asks again which are there.
/// </remarks>
internal sealed class LeftUserSearch
{
    private const int RowsPerPiece = 1024;

    // No user that has more is erased by one epoch: ErasureOrder.MaxValues bounds it.
    private const int MaxPlaces = ErasureOrder.MaxValues + 1;

    private readonly HashSet<UpdateKey> _asked = [];
    private Dictionary<UpdateKey, FoundUser> _found = [];
    private ulong? _period;
    private Scan? _scan;

    /// <summary>TryFind gives what ended periods have of a user. False: the search for it goes on.</summary>
    public bool TryFind(LogSession session, ReadOnlyMemory<byte> user, out FoundUser found)
    {
        if (_period != session.Period.Period)
        {
            (_period, _scan, _found) = (session.Period.Period, null, []);
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

    /// <summary>WorkAsync does a piece of the search. False: nobody is searched for.</summary>
    public async Task<bool> WorkAsync(Lead lead, CancellationToken cancellationToken)
    {
        if (_period != lead.Session.Period.Period || (_scan is null && _asked.Count == 0))
        {
            return false;
        }
        if (_scan is null)
        {
            IReadOnlyList<PeriodRow> periods = await lead.Store.ReadPeriodsAsync(cancellationToken);
            _scan = new Scan(lead.Store, [.. periods.Where(period => period.State == PeriodState.Ended)], PeriodRows.Current(periods).FirstEpoch!.Value, _asked);
            _asked.Clear();
        }
        if (!await _scan.WorkAsync(cancellationToken))
        {
            // Those of the search before were decided, or are asked for again.
            _found = _scan.Users;
            _scan = null;
        }
        return true;
    }

    /// <summary>Scan is one search, for all users who were asked for when it began.</summary>
    private sealed class Scan
    {
        private readonly IPipelineStore _store;
        private readonly IReadOnlyList<PeriodRow> _periods;
        private readonly ulong _end;
        private int _index;
        private bool _hasLists;
        private int _copy;
        private (ulong Epoch, int Ordinal)? _leaf;

        public Scan(IPipelineStore store, IReadOnlyList<PeriodRow> periods, ulong end, IEnumerable<UpdateKey> users)
        {
            _store = store;
            _periods = periods;
            _end = end;
            Users = users.ToDictionary(user => user, _ => new FoundUser());
        }

        public Dictionary<UpdateKey, FoundUser> Users { get; }

        private PeriodRow Period => _periods[_index];

        private ulong Last => (_index + 1 < _periods.Count ? _periods[_index + 1].FirstEpoch!.Value : _end) - 1;

        // Each period is read for lists and then for keys: those of its devices, and of devices of the period before whose keys it has copies of.
        public async Task<bool> WorkAsync(CancellationToken cancellationToken)
        {
            if (_index == _periods.Count)
            {
                return false;
            }
            if (_copy < Period.Copies)
            {
                CopyBatch copies = await _store.ReadCopiesAsync(Period.Period, _copy, Math.Min(RowsPerPiece, Period.Copies.Value - _copy), LeafColumns.All, cancellationToken);
                for (int i = 0; i < copies.Rows.Length; i++)
                {
                    LeafRow row = copies.Rows.Span[i];
                    if (row.ValueOffset != LeafRow.NoValue)
                    {
                        Take(row.Structure, copies.Key(i), copies.Value(i), new LeafPlace(0, copies.First + i, HasValue: true) { Period = Period.Period });
                    }
                }
                _copy = copies.Rows.IsEmpty ? throw new StorageCorruptException($"The database lacks copy {_copy} of period {Period.Period}: restore it.") : copies.End;
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

    /// <summary>FoundUser is what ended periods have of a user.</summary>
    internal sealed class FoundUser
    {
        private readonly List<LeafPlace> _places = [];
        private readonly HashSet<UpdateKey> _before = [];
        private readonly HashSet<UpdateKey> _devices = [];

        /// <summary>Places of the values, at most one more than one epoch may erase.</summary>
        public IReadOnlyList<LeafPlace> Places => _places;

        /// <summary>Devices of the user at the end of the last of these periods: what the current one has copies of is theirs.</summary>
        public IReadOnlyCollection<UpdateKey> Devices => _before;

        public void AddList(LeafPlace place, IEnumerable<ReadOnlyMemory<byte>> devices)
        {
            Add(place);
            // Copied: what was read is a page.
            _devices.UnionWith(devices.Select(device => new UpdateKey(StructureId.Keys, device.ToArray())));
        }

        public void TryAddKey(ReadOnlyMemory<byte> key, LeafPlace place)
        {
            var device = new UpdateKey(StructureId.Keys, key);
            // Its copy says that the id did not come free in between.
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
