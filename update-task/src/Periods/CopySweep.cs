using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage;
using Optiks.UpdateTask.Pipeline;
using Optiks.UpdateTask.Rules;

namespace Optiks.UpdateTask.Periods;

/// <summary>
/// Finds the values with which the next period begins (docs/spec/periods.md section 2). It reads the current period's copies by number, and
/// then its leaves by epoch and ordinal. It adds a copy or leaf to the inputs if the copy or leaf is the latest version of its key at the
/// time of reading. If the key changes later, the sweep adds the new leaf too. When a user leaves, the sweep removes the user's keys. Only
/// one thread may use it.
/// </summary>
internal sealed class CopySweep
{
    // One call of FillAsync stops after it has added this many bytes of values, because an epoch may have to wait for the call.
    private const int MaxValueBytes = 8 << 20;
    private const int ScannedPerRow = 4;
    private const int VersionsPerRead = 1024;

    private readonly LogSession _session;
    private readonly PipelineStore _store;
    private IReadOnlyList<StoredLeaf> _leaves = [];
    private int _next;

    /// <summary>Makes a sweep that begins at the start of the session's current period.</summary>
    public CopySweep(LogSession session, PipelineStore store)
    {
        _session = session;
        _store = store;
        // The sweep begins with epoch 1 at the earliest, because epoch 0 has no leaves.
        Position = new SweepPosition(0, Math.Max(1, session.Period.FirstEpoch!.Value), 0);
    }

    /// <summary>The position of the copy or leaf that the sweep reads next.</summary>
    public SweepPosition Position { get; private set; }

    /// <summary>
    /// Makes the sweep continue at another position. The sweep drops rows that it read in advance and reads them again, because values may
    /// have been erased since.
    /// </summary>
    public void ContinueAt(SweepPosition position)
    {
        Position = position;
        _leaves = [];
        _next = 0;
    }

    /// <summary>Makes the sweep continue after the copy or leaf that was the source of a staged row.</summary>
    public void ContinueAfter(CopySource source) => ContinueAt(source.Epoch == 0
        ? Position with { Copy = source.Ordinal + 1 }
        : new SweepPosition(_session.Period.Copies!.Value, source.Epoch, source.Ordinal + 1));

    /// <summary>
    /// Adds to <paramref name="inputs"/> the versions from which the next rows of copies are made, one for each row, up to
    /// <paramref name="maxRows"/> of them. A call may add fewer, because it reads a limited amount. Returns false if it has already read
    /// everything up to the session's last epoch.
    /// </summary>
    public async Task<bool> FillAsync(CopyInputs inputs, int maxRows, CancellationToken cancellationToken)
    {
        bool any = false;
        for (int left = ScannedPerRow * maxRows; left > 0 && inputs.Count < maxRows && inputs.ValueBytes < MaxValueBytes;)
        {
            int scanned = Position.Copy < _session.Period.Copies
                ? await AddCopiesAsync(inputs, maxRows - inputs.Count, cancellationToken)
                : await HasLeavesAsync(maxRows, cancellationToken)
                    ? await AddLeavesAsync(inputs, Math.Min(left, maxRows - inputs.Count), cancellationToken)
                    : -1;
            if (scanned < 0)
            {
                return any;
            }
            any = true;
            if (scanned == 0)
            {
                // The next leaf removes a key that these inputs contain, so it needs a new chunk.
                break;
            }
            left -= scanned;
        }
        return any;
    }

    // Adds inputs for copies of the current period. A key may have several rows of copies. Only its last row counts, and that row may
    // remove the key.
    private async Task<int> AddCopiesAsync(CopyInputs inputs, int max, CancellationToken cancellationToken)
    {
        ulong period = _session.Period.Period;
        CopyBatch copies = await _store.ReadCopiesAsync(
            period, Position.Copy, Math.Min(max, _session.Period.Copies!.Value - Position.Copy), LeafColumns.All, cancellationToken);
        if (copies.Rows.IsEmpty)
        {
            throw new StorageCorruptException($"The database lacks copy {Position.Copy} of period {period}: restore it.");
        }
        using var candidates = new Candidates(_session.Directory);
        var names = new List<LeafName>();
        for (int i = 0; i < copies.Rows.Length; i++)
        {
            LeafRow row = copies.Rows.Span[i];
            if (row.ValueOffset != LeafRow.NoValue)
            {
                candidates.Add(i, row.Structure, copies.Key(i));
                names.Add(new LeafName(0, row.Structure, row.Label.ToArray()) { Period = period });
            }
        }
        candidates.Read();
        IReadOnlyList<LeafPlace?> places = names.Count == 0 ? [] : await _store.FindLeavesAsync(names, cancellationToken);
        for (int i = 0; i < candidates.Count; i++)
        {
            int index = candidates.IndexOf(i);
            if (candidates.IsLatest(i, 1) && places[i]?.Ordinal == copies.First + index)
            {
                inputs.Add(candidates.GetStructure(i), copies.Key(index), copies.Value(index).Span,
                    new CopySource(1, 0, copies.First + index));
            }
        }
        Position = Position with { Copy = copies.End };
        return copies.Rows.Length;
    }

    // Reads the next page of leaves if no leaf read in advance remains. It does not read a whole epoch, which may have millions of leaves,
    // because such a read would occupy a processor of the database server for too long.
    private async Task<bool> HasLeavesAsync(int max, CancellationToken cancellationToken)
    {
        ulong last = _session.Last.Epoch;
        if (_next < _leaves.Count)
        {
            return true;
        }
        if (Position.Epoch <= last)
        {
            IReadOnlyList<StoredLeaf> leaves = await _store.ReadLeavesAsync(Position.Epoch, Position.Ordinal, max, cancellationToken);
            ThrowUnlessInARow(leaves);
            _leaves = [.. leaves.TakeWhile(leaf => leaf.Epoch <= last)];
            _next = 0;
            if (_leaves.Count > 0)
            {
                return true;
            }
            Position = new SweepPosition(Position.Copy, last + 1, 0);
        }
        return false;
    }

    // Throws if a leaf is missing between these leaves. Otherwise the missing leaf's key would be absent from the next period, and nobody
    // would notice.
    private void ThrowUnlessInARow(IReadOnlyList<StoredLeaf> leaves)
    {
        (ulong epoch, int ordinal) = (Position.Epoch, Position.Ordinal);
        foreach (StoredLeaf leaf in leaves)
        {
            if (leaf.Epoch != epoch)
            {
                (epoch, ordinal) = (leaf.Epoch, 0);
            }
            if (leaf.Ordinal != ordinal)
            {
                throw new StorageCorruptException($"The database lacks leaf {ordinal} of epoch {epoch}: restore it.");
            }
            ordinal++;
        }
    }

    private async Task<int> AddLeavesAsync(CopyInputs inputs, int max, CancellationToken cancellationToken)
    {
        int end = Math.Min(_next + max, _leaves.Count);
        using var candidates = new Candidates(_session.Directory);
        for (int i = _next; i < end; i++)
        {
            if (_leaves[i] is { Value: { } value } leaf && leaf.Structure.IsPerPeriod())
            {
                candidates.Add(i, leaf.Structure, value.Key);
            }
        }
        candidates.Read();
        int first = _next;
        int candidate = 0;
        for (; _next < end; _next++)
        {
            StoredLeaf leaf = _leaves[_next];
            if (leaf.Structure == StructureId.Decommissioned)
            {
                if (leaf.Value is { } left && !await TryTakeOutAsync(inputs, left.Key, cancellationToken))
                {
                    break;
                }
            }
            else if (candidate < candidates.Count && candidates.IndexOf(candidate) == _next)
            {
                if (candidates.IsLatest(candidate, leaf.Version))
                {
                    inputs.Add(leaf.Structure, leaf.Value!.Key, leaf.Value.Value.Span,
                        new CopySource(leaf.Version, leaf.Epoch, leaf.Ordinal));
                }
                candidate++;
            }
            Position = new SweepPosition(Position.Copy, leaf.Epoch, leaf.Ordinal + 1);
        }
        return _next - first;
    }

    // Removes the keys of a user who has left from the next period. It reads all of the user's device lists in the current period, because
    // a device that was removed before the user left is only on an earlier list. If a list was erased, the keys of its devices were already
    // removed from the next period, or have no values.
    private async Task<bool> TryTakeOutAsync(CopyInputs inputs, ReadOnlyMemory<byte> user, CancellationToken cancellationToken)
    {
        using var users = new ByteStrings();
        users.Add(user.Span);
        ulong[] versions = new ulong[1];
        _session.Directory.Versions([StructureId.Devices], users, versions);
        if (versions[0] == 0)
        {
            return true;
        }
        if (!inputs.TakeOut(new UpdateKey(StructureId.Devices, user)))
        {
            return false;
        }
        for (ulong first = 1; first <= versions[0]; first += VersionsPerRead)
        {
            IReadOnlyList<LeafPlace> places = await LeafNames.FindAsync(
                _session, _store, StructureId.Devices, user, first, (int)Math.Min(VersionsPerRead, versions[0] - first + 1),
                cancellationToken);
            foreach (LeafPlace place in places.Where(place => place.HasValue))
            {
                if (await _store.ReadValueAsync(place, cancellationToken) is { } list
                    && !DeviceLists.Decode(list, place).All(device => inputs.TakeOut(new UpdateKey(StructureId.Keys, device))))
                {
                    return false;
                }
            }
        }
        return true;
    }

    /// <summary>
    /// Collects leaves that have a value, so that one call of the directory finds out which leaves are the latest versions of their keys.
    /// </summary>
    private sealed class Candidates(KeyDirectory directory) : IDisposable
    {
        private readonly List<(int Index, StructureId Structure, int Version, int HasLeft)> _rows = [];
        private readonly KeyVersions _versions = new();

        public int Count => _rows.Count;

        public int IndexOf(int candidate) => _rows[candidate].Index;

        public StructureId GetStructure(int candidate) => _rows[candidate].Structure;

        public void Add(int index, StructureId structure, ReadOnlyMemory<byte> key) =>
            _rows.Add(
                (index, structure, _versions.Add(structure, key),
                    structure == StructureId.Devices ? _versions.Add(StructureId.Decommissioned, key) : -1));

        public void Read() => _versions.Read(directory);

        public void Dispose() => _versions.Dispose();

        /// <summary>
        /// Returns whether a version is the latest version of its key. Returns false for the device list of a user who has left.
        /// </summary>
        public bool IsLatest(int candidate, ulong version)
        {
            (_, _, int latest, int hasLeft) = _rows[candidate];
            return _versions[latest] == version && (hasLeft < 0 || _versions[hasLeft] == 0);
        }
    }
}
