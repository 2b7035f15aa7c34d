using Optiks.Native;

namespace Optiks.Storage;

/// <summary>
/// A batch of the leaves of whole epochs, in the order (epoch, ordinal). The batch stores its columns in flat arrays, without an object per
/// leaf, so that the native library can take the rows without a conversion. Element i of each list belongs to row i; values and keys are
/// blobs. Lists of columns that were not read (<see cref="LeafColumns"/>) are empty.
/// </summary>
/// <param name="Rows">
/// The rows. A row's ValueOffset is the offset of its value in the list <paramref name="Values"/>, or <see cref="LeafRow.NoValue"/> if the
/// value was erased.
/// </param>
/// <param name="Values">The values.</param>
/// <param name="Keys">The keys of all rows, concatenated; an erased leaf has an empty key.</param>
/// <param name="KeyEnds">For each row, the offset in the list <paramref name="Keys"/> at which its key ends.</param>
/// <param name="Origins">The request item that each leaf came from.</param>
public sealed record LeafBatch(
    ReadOnlyMemory<LeafRow> Rows, ReadOnlyMemory<byte> Values, ReadOnlyMemory<byte> Keys, ReadOnlyMemory<int> KeyEnds,
    ReadOnlyMemory<LeafOrigin> Origins)
{
    /// <summary>A batch without leaves.</summary>
    public static LeafBatch Empty { get; } = new(default, default, default, default, default);

    /// <summary>Returns the key of the row with the given <paramref name="index"/>.</summary>
    public ReadOnlyMemory<byte> Key(int index)
    {
        int start = index == 0 ? 0 : KeyEnds.Span[index - 1];
        return Keys[start..KeyEnds.Span[index]];
    }
}
