using Optiks.Native;

namespace Optiks.Storage;

/// <summary>
/// Leaves of whole epochs in (epoch, ordinal) order, without an object per leaf, so that the native library takes the rows as they are.
/// Element i of each list belongs to row i; values and keys are blobs. Lists of columns that were not read (<see cref="LeafColumns"/>) are
/// empty.
/// </summary>
/// <param name="Rows">
/// The rows; ValueOffset points into <paramref name="Values"/>, or is <see cref="LeafRow.NoValue"/> when the value was erased.
/// </param>
/// <param name="Values">The values.</param>
/// <param name="Keys">The keys, concatenated; an erased leaf's key is empty.</param>
/// <param name="KeyEnds">End of each row's key in <paramref name="Keys"/>.</param>
/// <param name="Origins">The request item that each leaf came from.</param>
public sealed record LeafBatch(
    ReadOnlyMemory<LeafRow> Rows, ReadOnlyMemory<byte> Values, ReadOnlyMemory<byte> Keys, ReadOnlyMemory<int> KeyEnds, ReadOnlyMemory<LeafOrigin> Origins)
{
    /// <summary>A batch without leaves.</summary>
    public static LeafBatch Empty { get; } = new(default, default, default, default, default);

    /// <summary>Returns the key of row <paramref name="index"/>.</summary>
    public ReadOnlyMemory<byte> Key(int index)
    {
        int start = index == 0 ? 0 : KeyEnds.Span[index - 1];
        return Keys[start..KeyEnds.Span[index]];
    }
}
