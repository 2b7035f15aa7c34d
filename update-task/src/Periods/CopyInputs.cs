using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage;

namespace Optiks.UpdateTask.Periods;

/// <summary>CopyInputs are what rows of copies are made of: for each one key, value and source, in the order in which they are staged. Of a key there is one. Not thread-safe.</summary>
internal sealed class CopyInputs : IDisposable
{
    private readonly List<StructureId> _structures = [];
    private readonly List<CopySource> _sources = [];
    private readonly ByteStrings _keys = new();
    private readonly ByteStrings _values = new();
    private readonly HashSet<UpdateKey> _takenOut = [];

    /// <summary>Count of the rows.</summary>
    public int Count => _sources.Count;

    /// <summary>ValueBytes of all of them.</summary>
    public int ValueBytes => _values.Blob.Length;

    /// <summary>Add a copy of a key's latest version, unless the key was taken out before.</summary>
    public void Add(StructureId structure, ReadOnlyMemory<byte> key, ReadOnlySpan<byte> value, CopySource source)
    {
        if (_takenOut.Count == 0 || !_takenOut.Contains(new UpdateKey(structure, key)))
        {
            Append(structure, key.Span, value, source);
        }
    }

    /// <summary>TakeOut takes a key out for good. False, and nothing was done, when it has a copy among these: they are to be staged first.</summary>
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
    /// Prepare makes the rows by the trees of the period that is next. Keys whose tag is among those that were taken out are left out. Null: no row is left.
    /// </summary>
    /// <param name="next">The next period's directory.</param>
    /// <param name="period">The next period.</param>
    /// <param name="first">Number of the first row.</param>
    /// <param name="takenOut">Tags of keys that earlier rows took out.</param>
    public CopyBatch? Prepare(KeyDirectory next, ulong period, int first, IReadOnlySet<CopyTag> takenOut)
    {
        ulong[] versions = [.. _sources.Select(source => source.Version)];
        var prepared = new LeafRow[Count];
        next.PrepareCopies(_structures.ToArray(), _keys, versions, _values, prepared);
        // In order of the inputs: the last row with a source says how far the sources are staged.
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
            // Not again either: a user's list may be taken out in one chunk, and its devices in the next.
            if (takenOut.Contains(CopyTag.Of(row)))
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
