using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage;

namespace Optiks.UpdateTask.Periods;

/// <summary>
/// Collects the inputs of one chunk of copies, in the order of staging. Each input has a key, a value and the value's source; each key
/// occurs once. Not thread-safe.
/// </summary>
internal sealed class CopyInputs : IDisposable
{
    private readonly List<StructureId> _structures = [];
    private readonly List<CopySource> _sources = [];
    private readonly ByteStrings _keys = new();
    private readonly ByteStrings _values = new();
    private readonly HashSet<UpdateKey> _takenOut = [];

    /// <summary>The number of collected inputs; each becomes one row.</summary>
    public int Count => _sources.Count;

    /// <summary>The total length of the collected values in bytes.</summary>
    public int ValueBytes => _values.Blob.Length;

    /// <summary>Adds a copy of a key's latest version, unless these inputs already remove the key.</summary>
    public void Add(StructureId structure, ReadOnlyMemory<byte> key, ReadOnlySpan<byte> value, CopySource source)
    {
        if (_takenOut.Count == 0 || !_takenOut.Contains(new UpdateKey(structure, key)))
        {
            Append(structure, key.Span, value, source);
        }
    }

    /// <summary>
    /// Adds a row that removes a key permanently from the next period. Returns false and adds nothing if these inputs contain a copy of the
    /// key. The caller must then stage these inputs before it removes the key with new inputs.
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
    /// Uses the next period's directory to make the rows of these inputs. Skips keys whose tags are in the set <paramref name="takenOut"/>.
    /// Returns null if no row remains.
    /// </summary>
    /// <param name="next">The next period's directory.</param>
    /// <param name="period">The number of the next period.</param>
    /// <param name="first">The number that the first row gets.</param>
    /// <param name="takenOut">The tags of the keys that earlier rows have removed from the next period.</param>
    public CopyBatch? Prepare(KeyDirectory next, ulong period, int first, IReadOnlySet<CopyTag> takenOut)
    {
        ulong[] versions = [.. _sources.Select(source => source.Version)];
        var prepared = new LeafRow[Count];
        next.PrepareCopies(_structures.ToArray(), _keys, versions, _values, prepared);
        // The rows must be in the order of the inputs. After a restart, the last row with a source shows up to which source the copies are
        // staged.
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
            // A key that earlier rows have removed needs no second removal. A second removal can be requested when one chunk has removed
            // some keys of a user and a later chunk removes all of them again.
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
        return rows.Count == 0
            ? null
            : new CopyBatch(period, first, rows.ToArray(), sources.ToArray(), _values.Blob.ToArray(), keys.ToArray(), keyEnds.ToArray());
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
