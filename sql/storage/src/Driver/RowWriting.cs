using Optiks.Native;

namespace Optiks.Storage;

/// <summary>Writes objects of the contract's types into tables.</summary>
internal static class RowWriting
{
    /// <summary>Writes an epoch's leaves and values into their tables, and returns the number of bytes of the values.</summary>
    public static async Task<long> CopyLeavesAsync(this ISession session, EpochCommit commit, CancellationToken cancellationToken)
    {
        LeafBatch leaves = commit.Leaves;
        int count = leaves.Rows.Length;
        await session.CopyAsync(
            Table.Leaf,
            count,
            (cells, i) =>
            {
                ref readonly LeafRow leaf = ref leaves.Rows.Span[i];
                cells.WriteUInt64(commit.Epoch.Epoch);
                cells.WriteInt32(i);
                cells.WriteInt16((int)leaf.Structure);
                cells.WriteUInt64(commit.Period);
                cells.WriteUInt64(leaf.Version);
                cells.WriteBytes(leaf.Label);
                cells.WriteBytes(leaf.Commitment);
                cells.WriteBytes(leaf.Tag);
                cells.WriteRequestId(leaves.Origins.Span[i].RequestId);
                cells.WriteInt16(leaves.Origins.Span[i].Item);
            },
            cancellationToken);
        // Values are missing only in a restored epoch, because they were erased before the bundle was read.
        int[]? present = leaves.Rows.Span.ContainsErased()
            ? [.. Enumerable.Range(0, count).Where(i => leaves.Rows.Span[i].ValueOffset != LeafRow.NoValue)]
            : null;
        long valueBytes = 0;
        await session.CopyAsync(
            Table.Value,
            present?.Length ?? count,
            (cells, i) =>
            {
                int ordinal = present?[i] ?? i;
                ref readonly LeafRow leaf = ref leaves.Rows.Span[ordinal];
                cells.WriteUInt64(commit.Epoch.Epoch);
                cells.WriteInt32(ordinal);
                cells.WriteBytes(leaf.Opening);
                cells.WriteBytes(leaves.Key(ordinal));
                cells.WriteBytes(leaves.Values.Slice(checked((int)leaf.ValueOffset), checked((int)leaf.ValueLength)));
                valueBytes += leaf.ValueLength;
            },
            cancellationToken);
        return valueBytes;
    }

    /// <summary>Writes the cells of an erasure.</summary>
    public static void WriteErasure(IRowWriter cells, ulong decidedIn, int number, Erasure erasure)
    {
        cells.WriteUInt64(decidedIn);
        cells.WriteInt32(number);
        cells.WriteUInt64(erasure.Epoch);
        cells.WriteUInt64(erasure.Period);
        cells.WriteInt32(erasure.Ordinal);
        cells.WriteRequestId(erasure.Origin.RequestId);
        cells.WriteInt16(erasure.Origin.Item);
    }

    /// <summary>Writes an epoch's outcomes into their table.</summary>
    public static Task CopyOutcomesAsync(
        this ISession session, ulong epoch, IReadOnlyList<Outcome> outcomes, CancellationToken cancellationToken) => session.CopyAsync(
        Table.Outcome,
        outcomes.Count,
        (cells, i) => WriteOutcome(cells, outcomes[i].Sequence, outcomes[i].Item, epoch, ResultColumns.FromResult(outcomes[i].Result)),
        cancellationToken);

    /// <summary>Writes the cells of an outcome.</summary>
    public static void WriteOutcome(IRowWriter cells, long sequence, int item, ulong epoch, ResultColumns result)
    {
        cells.WriteInt64(sequence);
        cells.WriteInt16(item);
        cells.WriteUInt64(epoch);
        cells.WriteInt32(result.Ordinal);
        cells.WriteInt16((int?)result.Refusal?.Reason);
        cells.WriteInt16(result.Refusal?.Item);
        cells.WriteUInt64(result.Refusal?.Current.Period);
        cells.WriteUInt64(result.Refusal?.Current.Version);
    }

    private static bool ContainsErased(this ReadOnlySpan<LeafRow> leaves)
    {
        foreach (ref readonly LeafRow leaf in leaves)
        {
            if (leaf.ValueOffset == LeafRow.NoValue)
            {
                return true;
            }
        }
        return false;
    }
}
