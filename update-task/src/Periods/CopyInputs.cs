using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage;

namespace Optiks.UpdateTask.Periods;

/// <summary>
/// Collects the inputs of rows of copies, in the order of staging: each row's key, value and source. Each key occurs once. Not thread-safe.
/// </summary>
internal sealed class CopyInputs : IDisposable
{
    private readonly List<StructureId> _structures = [];
    private readonly List<CopySource> _sources = [];
    private readonly ByteStrings _keys = new();
    private readonly ByteStrings _values = new();
    private readonly HashSet<UpdateKey> _takenOut = [];

    /// <summary>The number of rows.</summary>
    public int Count => _sources.Count;

    /// <summary>The total length of the rows' values.</summary>
    public int ValueBytes => _values.Blob.Length;

    /// <summary>Adds a copy of a key's latest version, unless the key was removed before.</summary>
    public void Add(StructureId structure, ReadOnlyMemory<byte> key, ReadOnlySpan<byte> value, CopySource source)
    {
        if (_takenOut.Count == 0 || !_takenOut.Contains(new UpdateKey(structure, key)))
        {
            Append(structure, key.Span, value, source);
        }
    }

    /// <summary>
    /// Removes a key permanently from the next period. Returns false and does nothing if these inputs contain a copy of the key. The caller
    /// must stage these inputs first.
    /// </summary>
    public bool TakeOut(UpdateKey key)
    {
        if (Has(key))
        {
            return false;
        }
        if (_takenOut.Add(key))
        {
            Append(key.Structure, key.Key.Span, [], default);
        }
        return true;
    }

    /// <summary>
    /// Makes the rows with the next period's trees. Skips keys whose tags are in <paramref name="takenOut"/>. Returns null if no row
    /// remains.
    /// </summary>
    /// <param name="next">The next period's directory.</param>
    /// <param name="period">The next period.</param>
    /// <param name="first">The number of the first row.</param>
    /// <param name="takenOut">The tags of keys that earlier rows removed.</param>
    public CopyBatch? Prepare(KeyDirectory next, ulong period, int first, IReadOnlySet<CopyTag> takenOut)
    {
        ulong[] versions = [.. _sources.Select(source => source.Version)];
        var prepared = new LeafRow[Count];
        next.PrepareCopies(_structures.ToArray(), _keys, versions, _values, prepared);
        // The rows must be in the order of the inputs, because the last row with a source shows how far the sources are staged.
        int[] rowOf = new int[Count];
        for (int i = 0; i < prepared.Length; i++)
        {
            rowOf[prepared[i].InputIndex] = i;
        }
        var rows = new List<LeafRow>(Count);
        var sources = new List<CopySource>(Count);
        var keyEnds = new List<int>(Count);
        var keys = new MemoryStream(_keys.Blob.Length);
        for (int input = 0; input < prepared.Length; input++)
        {
            LeafRow row = prepared[rowOf[input]];
            CopySource source = _sources[input];
            // A key that earlier rows removed needs no second removal. Such a removal is possible, because one chunk may remove a user's
            // list and the next chunk the user's devices.
            if (takenOut.Contains(CopyTag.From(row)))
            {
                continue;
            }
            row.InputIndex = 0;
            row.Version = source.IsDrop ? 0UL : 1;
            rows.Add(row);
            sources.Add(source);
            if (!source.IsDrop)
            {
                keys.Write(_keys[input]);
            }
            keyEnds.Add((int)keys.Length);
        }
        return rows.Count == 0 ? null : new CopyBatch(period, first, rows.ToArray(), sources.ToArray(), _values.Blob.ToArray(), keys.ToArray(), keyEnds.ToArray());
    }

    public void Dispose()
    {
        _keys.Dispose();
        _values.Dispose();
    }

    private bool Has(UpdateKey key)
    {
        for (int i = 0; i < Count; i++)
        {
            if (!_sources[i].IsDrop && _structures[i] == key.Structure && _keys[i].SequenceEqual(key.Key.Span))
            {
                return true;
            }
        }
        return false;
    }

    private void Append(StructureId structure, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, CopySource source)
    {
        _structures.Add(structure);
        _sources.Add(source);
        _keys.Add(key);
        _values.Add(value);
    }
}
