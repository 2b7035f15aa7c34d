using System.Text;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Storage.Tests;

/// <summary>
/// Makes the trees of a log's next period from copies of the latest versions. Remembers for this purpose the versions and names that the
/// log has published.
/// </summary>
internal sealed class StagedCopies : IDisposable
{
    private readonly Dictionary<(StructureId Structure, string Key), (CopySource Source, byte[] Value)> _latest = [];
    private readonly List<(ulong Epoch, LeafRow[] Rows, byte[] Values)> _names = [];
    private Dictionary<(StructureId Structure, string Key), CopySource> _staged = [];
    private Dictionary<(StructureId Structure, string Key), int> _stagedNumbers = [];
    private Dictionary<(StructureId Structure, string Key), int> _copied = [];

    /// <summary>The trees of the next period; null if no period was begun.</summary>
    public KeyDirectory? Next { get; private set; }

    /// <summary>The number of rows that were staged for the next period.</summary>
    public int Count { get; private set; }

    /// <summary>The keys that are not staged yet or that got a new version after they were staged.</summary>
    public IReadOnlyList<(StructureId Structure, string Key)> Unstaged =>
        [.. _latest.Where(latest => !_staged.TryGetValue(latest.Key, out CopySource staged) || staged != latest.Value.Source)
            .Select(latest => latest.Key)];

    /// <summary>Returns the number of the row by which the current period began with a copy of the key.</summary>
    public int FindCopy(StructureId structure, string key) => _copied[(structure, key)];

    /// <summary>Takes the empty trees of the next period, and adds the names of all earlier epochs to them.</summary>
    public void Begin(KeyDirectory next)
    {
        Next = next;
        foreach ((ulong epoch, LeafRow[] rows, byte[] values) in _names)
        {
            next.Load(epoch, rows, values);
        }
    }

    /// <summary>Adds the latest versions of the keys to the next period's trees, and returns their rows.</summary>
    /// <param name="period">The next period.</param>
    /// <param name="keys">The keys of any structure. If a text begins with a minus, the row removes that key's copy.</param>
    public CopyBatch Add(ulong period, IReadOnlyList<(StructureId Structure, string Key)> keys)
    {
        using var names = new ByteStrings();
        using var values = new ByteStrings();
        var sources = new CopySource[keys.Count];
        for (int i = 0; i < keys.Count; i++)
        {
            (StructureId structure, string key) = keys[i];
            bool isDrop = key[0] == '-';
            names.Add(Encoding.UTF8.GetBytes(isDrop ? key[1..] : key));
            (sources[i], byte[] value) = isDrop ? (default, []) : _latest[(structure, key)];
            values.Add(value);
        }
        var rows = new LeafRow[keys.Count];
        Next!.PrepareCopies([.. keys.Select(key => key.Structure)], names, [.. sources.Select(source => source.Version)], values, rows);
        Next.LoadCopies(rows, values.Blob);
        var sortedKeys = new List<byte>();
        int[] keyEnds = new int[rows.Length];
        var sortedSources = new CopySource[rows.Length];
        for (int i = 0; i < rows.Length; i++)
        {
            int input = rows[i].InputIndex;
            sortedSources[i] = sources[input];
            sortedKeys.AddRange(sources[input].IsDrop ? default : names[input]);
            keyEnds[i] = sortedKeys.Count;
            rows[i].Version = Math.Min(rows[i].Version, 1);
            (StructureId structure, string key) = keys[input];
            _staged[(structure, key)] = sources[input];
            _stagedNumbers[(structure, key)] = Count + i;
            if (sources[input].IsDrop)
            {
                // This entry keeps this key out of `Unstaged`.
                _staged[(structure, key[1..])] = _latest[(structure, key[1..])].Source;
                _ = _stagedNumbers.Remove((structure, key[1..]));
            }
        }
        var copies = new CopyBatch(period, Count, rows, sortedSources, values.Blob.ToArray(), sortedKeys.ToArray(), keyEnds);
        Count += rows.Length;
        return copies;
    }

    /// <summary>Makes the next period the current one, and returns its trees. The caller then owns these trees.</summary>
    public KeyDirectory Switch(ulong epoch)
    {
        KeyDirectory next = Next!;
        Next = null;
        foreach ((StructureId, string) key in _latest.Keys.ToArray())
        {
            if (!_stagedNumbers.TryGetValue(key, out int number))
            {
                _ = _latest.Remove(key);
                continue;
            }
            _latest[key] = (new CopySource(1, 0, number), _latest[key].Value);
        }
        (_copied, _staged, _stagedNumbers, Count) = (_stagedNumbers, [], [], 0);
        _names.Add((epoch, [], []));
        return next;
    }

    /// <summary>Remembers the versions that an epoch published.</summary>
    public void Remember(ulong epoch, IReadOnlyList<AcceptItem> items, LeafBatch leaves)
    {
        for (int i = 0; i < leaves.Rows.Length; i++)
        {
            LeafRow row = leaves.Rows.Span[i];
            if (row.Structure.IsPerPeriod())
            {
                _latest[(row.Structure, Encoding.UTF8.GetString(leaves.Key(i).Span))] = (new CopySource(row.Version, epoch, i),
                    items[row.InputIndex].Value.ToArray());
            }
        }
    }

    /// <summary>Remembers the names of an epoch, and adds them to the next period's trees.</summary>
    public void LoadNames(ulong epoch, LeafRow[] rows, byte[] values)
    {
        LeafRow[] names = [.. rows.Where(row => !row.Structure.IsPerPeriod())];
        _names.Add((epoch, names, values));
        Next?.Load(epoch, names, values);
    }

    public void Dispose() => Next?.Dispose();
}
