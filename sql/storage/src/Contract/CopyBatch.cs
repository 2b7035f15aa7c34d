using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Storage;

/// <summary>
/// A batch of rows of one period's copies, in the order of their numbers (docs/spec/periods.md section 10). The batch stores its columns in
/// flat arrays, without an object per row. When a key has several rows, the last row is in force. Element i of each list belongs to row i;
/// values and keys are blobs. Lists of columns that were not read (<see cref="LeafColumns"/>) are empty.
/// </summary>
/// <param name="Period">The period that begins with the copies.</param>
/// <param name="First">The number of the batch's first row; the rows are numbered consecutively.</param>
/// <param name="Rows">
/// The rows, as leaves of epoch 0 and version 1. A row that removes a key's earlier copy has version 0, the label and tag of that copy, and
/// a commitment of zeros. A row's ValueOffset is the offset of its value in the list <paramref name="Values"/>, or
/// <see cref="LeafRow.NoValue"/>.
/// </param>
/// <param name="Sources">The source of each row.</param>
/// <param name="Values">The values.</param>
/// <param name="Keys">The keys of all rows, concatenated. A row without a value has an empty key.</param>
/// <param name="KeyEnds">For each row, the offset in the list <paramref name="Keys"/> at which its key ends.</param>
public sealed record CopyBatch(
    ulong Period, int First, ReadOnlyMemory<LeafRow> Rows, ReadOnlyMemory<CopySource> Sources, ReadOnlyMemory<byte> Values,
    ReadOnlyMemory<byte> Keys, ReadOnlyMemory<int> KeyEnds)
{
    /// <summary>The number of the first row after this batch.</summary>
    public int End => First + Rows.Length;

    /// <summary>Returns the key of the row with the given <paramref name="index"/>.</summary>
    public ReadOnlyMemory<byte> Key(int index) => Keys[(index == 0 ? 0 : KeyEnds.Span[index - 1])..KeyEnds.Span[index]];

    /// <summary>Returns the value of the row with the given <paramref name="index"/>. The row must have a value.</summary>
    public ReadOnlyMemory<byte> Value(int index) =>
        Values.Slice(checked((int)Rows.Span[index].ValueOffset), checked((int)Rows.Span[index].ValueLength));

    /// <summary>Returns a batch with those rows of this batch whose numbers are not below the given number. At least one row must
    /// remain.</summary>
    public CopyBatch From(int number)
    {
        int skipped = number - First;
        ArgumentOutOfRangeException.ThrowIfNegative(skipped, nameof(number));
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual(skipped, Rows.Length, nameof(number));
        int keys = skipped == 0 ? 0 : KeyEnds.Span[skipped - 1];
        int[] keyEnds = KeyEnds[skipped..].ToArray();
        for (int i = 0; i < keyEnds.Length; i++)
        {
            keyEnds[i] -= keys;
        }
        return this with { First = number, Rows = Rows[skipped..], Sources = Sources[skipped..], Keys = Keys[keys..], KeyEnds = keyEnds };
    }

    /// <summary>
    /// Checks that the lists have matching lengths and contents. Drivers call it before they write. Throws <see cref="ArgumentException"/>,
    /// which indicates a bug in the caller.
    /// </summary>
    /// <param name="restores">Whether the caller is <see cref="MaintenanceStore.RestoreCopiesAsync"/>, for which values may be
    /// missing.</param>
    public void ThrowIfInconsistent(bool restores = false)
    {
        Require(Period > 0 && First >= 0 && !Rows.IsEmpty && Rows.Length <= int.MaxValue - First,
            "they do not have numbers of a later period");
        Require(Sources.Length == Rows.Length && KeyEnds.Length == Rows.Length, "their lists have different lengths");
        int keyEnd = 0;
        for (int i = 0; i < Rows.Length; i++)
        {
            ref readonly LeafRow row = ref Rows.Span[i];
            CopySource source = Sources.Span[i];
            int keyLength = KeyEnds.Span[i] - keyEnd;
            keyEnd = KeyEnds.Span[i];
            Require(row.Epoch == 0 && row.Structure.IsPerPeriod(),
                "a row is not a leaf that a period begins with");
            Require(keyLength >= 0 && keyEnd <= Keys.Length, "a key lies outside the keys");
            if (source.IsDrop)
            {
                Require(source == default && row.Version == 0 && row.ValueOffset == LeafRow.NoValue && keyLength == 0
                    && !row.Commitment.ContainsAnyExcept((byte)0), "a row that removes a key has more than its label");
                continue;
            }
            Require(row.Version == 1 && source.Ordinal >= 0 && (source.Epoch > 0 || Period > 1), "a row has no version, or no source");
            bool hasValue = row.ValueOffset != LeafRow.NoValue;
            Require(hasValue || restores, "a row has no value");
            Require(hasValue ? keyLength is > 0 and <= byte.MaxValue : keyLength == 0,
                "a row has a value but no key, or a key but no value");
            Require(!hasValue || (row.ValueOffset <= (ulong)Values.Length && row.ValueLength <= (ulong)Values.Length - row.ValueOffset),
                "a value lies outside the values");
        }
    }

    private void Require(bool condition, string otherwise)
    {
        if (!condition)
        {
            throw new ArgumentException($"The copies from {First} on of period {Period} cannot be staged: {otherwise}.");
        }
    }
}
