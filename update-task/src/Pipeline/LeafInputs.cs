using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>LeafInputs are what an epoch's leaves are made of: for each one structure, key, value and origin. Not thread-safe.</summary>
internal sealed class LeafInputs : IDisposable
{
    private readonly List<StructureId> _structures;
    private readonly List<LeafOrigin> _origins;
    private readonly ByteStrings _keys;
    private readonly ByteStrings _values;
    private readonly int[] _counts = new int[Structures.Count + 1];

    /// <summary>LeafInputs with room for so many leaves and octets of values at first.</summary>
    public LeafInputs(int count, int valueBytes)
    {
        _structures = new List<StructureId>(count);
        _origins = new List<LeafOrigin>(count);
        _keys = new ByteStrings(count, 32 * count);
        _values = new ByteStrings(count, valueBytes);
    }

    /// <summary>CountOf is how many leaves a structure gets.</summary>
    public int CountOf(StructureId structure) => _counts[(int)structure];

    /// <summary>Add one.</summary>
    public void Add(StructureId structure, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, LeafOrigin origin)
    {
        _structures.Add(structure);
        _origins.Add(origin);
        _keys.Add(key);
        _values.Add(value);
        _counts[(int)structure]++;
    }

    /// <summary>Prepare makes the leaves, in ordinal order; <paramref name="ordinals"/> has for each one added its ordinal, as far as it reaches.</summary>
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
