using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>Collects the inputs of an epoch's leaves: each leaf's structure, key, value and origin. Not thread-safe.</summary>
internal sealed class LeafInputs : IDisposable
{
    private readonly List<StructureId> _structures;
    private readonly List<LeafOrigin> _origins;
    private readonly ByteStrings _keys;
    private readonly ByteStrings _values;
    private readonly int[] _counts = new int[Structures.Count + 1];

    /// <summary>
    /// Makes an empty collection with room for the given number of leaves, and for values of the given total length in bytes.
    /// </summary>
    public LeafInputs(int count, int valueBytes)
    {
        _structures = new List<StructureId>(count);
        _origins = new List<LeafOrigin>(count);
        _keys = new ByteStrings(count, 32 * count);
        _values = new ByteStrings(count, valueBytes);
    }

    /// <summary>Returns the number of leaves that were added for a structure.</summary>
    public int CountLeaves(StructureId structure) => _counts[(int)structure];

    /// <summary>Adds the input of one leaf.</summary>
    public void Add(StructureId structure, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, LeafOrigin origin)
    {
        _structures.Add(structure);
        _origins.Add(origin);
        _keys.Add(key);
        _values.Add(value);
        _counts[(int)structure]++;
    }

    /// <summary>
    /// Makes the leaves, in ordinal order. Fills the span <paramref name="ordinals"/> with the ordinals of the inputs that were added
    /// first, in the order in which they were added.
    /// </summary>
    public LeafBatch Prepare(KeyDirectory directory, ulong epoch, Span<int> ordinals)
    {
        int count = _structures.Count;
        if (count == 0)
        {
            return LeafBatch.Empty;
        }
        var rows = new LeafRow[count];
        directory.Prepare(epoch, _structures.ToArray(), _keys, _values, rows);

        byte[] orderedKeys = new byte[_keys.Blob.Length];
        int[] keyEnds = new int[count];
        var orderedOrigins = new LeafOrigin[count];
        int end = 0;
        for (int ordinal = 0; ordinal < count; ordinal++)
        {
            int input = rows[ordinal].InputIndex;
            rows[ordinal].InputIndex = 0;
            if (input < ordinals.Length)
            {
                ordinals[input] = ordinal;
            }
            ReadOnlySpan<byte> key = _keys[input];
            key.CopyTo(orderedKeys.AsSpan(end));
            end += key.Length;
            keyEnds[ordinal] = end;
            orderedOrigins[ordinal] = _origins[input];
        }
        return new LeafBatch(rows, _values.Blob.ToArray(), orderedKeys, keyEnds, orderedOrigins);
    }

    public void Dispose()
    {
        _keys.Dispose();
        _values.Dispose();
    }
}
