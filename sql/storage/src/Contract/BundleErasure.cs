using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Storage;

/// <summary>Removes erased values from an epoch's bundle (docs/spec/erasure.md section 5).</summary>
public static class BundleErasure
{
    /// <summary>
    /// Returns a copy of the epoch's content that lacks the values, openings and keys of the leaves with these ordinals. Returns null when
    /// these leaves already lack them. Throws <see cref="StorageCorruptException"/> when a leaf does not exist.
    /// </summary>
    public static EpochContent? Without(EpochContent content, IReadOnlySet<int> ordinals)
    {
        ArgumentNullException.ThrowIfNull(content);
        ArgumentNullException.ThrowIfNull(ordinals);
        LeafBatch leaves = content.Leaves;
        if (ordinals.Any(ordinal => ordinal < 0 || ordinal >= leaves.Rows.Length))
        {
            throw new StorageCorruptException(
                $"The leaf of an erased value of epoch {content.Epoch.Epoch} is missing from the epoch's bundle.");
        }
        if (ordinals.All(ordinal => leaves.Rows.Span[ordinal].ValueOffset == LeafRow.NoValue))
        {
            return null;
        }
        LeafRow[] rows = leaves.Rows.ToArray();
        int[] keyEnds = new int[rows.Length];
        var keys = new MemoryStream(leaves.Keys.Length);
        var values = new MemoryStream(leaves.Values.Length);
        for (int i = 0; i < rows.Length; i++)
        {
            ref LeafRow row = ref rows[i];
            if (ordinals.Contains(i))
            {
                row.Opening = new byte[Lengths.Opening];
                row.ValueOffset = LeafRow.NoValue;
                row.ValueLength = 0;
            }
            else
            {
                keys.Write(leaves.Key(i).Span);
                if (row.ValueOffset != LeafRow.NoValue)
                {
                    ReadOnlyMemory<byte> value = leaves.Values.Slice(checked((int)row.ValueOffset), checked((int)row.ValueLength));
                    row.ValueOffset = (ulong)values.Length;
                    values.Write(value.Span);
                }
            }
            keyEnds[i] = (int)keys.Length;
        }
        return content with { Leaves = new LeafBatch(rows, values.ToArray(), keys.ToArray(), keyEnds, leaves.Origins) };
    }
}
