using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Storage;

/// <summary>
/// Reads the leaves of whole epochs into a <see cref="LeafBatch"/>. A leaf never changes; only its value can be erased. So the statements
/// of this class may see different points in time.
/// </summary>
internal static class LeafReader
{
    // The largest number of epochs that one batch reads. The number is limited because even an epoch without leaves takes time to read.
    private const int MaxEpochs = 4096;

    // A leaf's number in the results of these statements is epoch * 2^28 + ordinal.
    private const int OrdinalBits = 28;

    /// <summary>
    /// Reads the given columns of the leaves of whole epochs, from the given epoch (<paramref name="first"/>) on. The batch covers at least
    /// one epoch, and as many epochs as have about the given number of leaves (<paramref name="batchRows"/>) together. Also returns the
    /// last epoch of the batch, which is null if the first epoch does not exist.
    /// </summary>
    public static async Task<(LeafBatch Batch, ulong? Through)> ReadLeavesAsync(
        this ISession session, ulong first, ulong last, int batchRows, LeafColumns columns, CancellationToken cancellationToken)
    {
        LeafRange range = await RangeAsync(session, new LeafRange(first, batchRows, columns), last, cancellationToken);
        Statements statements = session.Database.Statements;
        Sql select = columns switch
        {
            LeafColumns.Trees => statements.LeavesOfTrees,
            LeafColumns.Lists => statements.LeavesWithLists,
            LeafColumns.Values => statements.LeavesWithValues,
            _ => statements.WholeLeaves,
        };
        return (range.IsEmpty ? LeafBatch.Empty : await ReadRowsAsync(session, select, range, range.Builder(), columns, cancellationToken),
            range.Through);
    }

    /// <summary>Implements <see cref="IFollowStore.ReadNamesAsync"/>. The caller has checked that its role sees the epochs.</summary>
    public static async Task<(LeafBatch Names, ulong? Through)> ReadNamesAsync(
        this ISession session, ulong first, ulong last, int maxLeaves, LeafColumns columns, CancellationToken cancellationToken)
    {
        // Leaves of names are not device lists, so there are only two choices of columns: with values and without.
        columns = columns >= LeafColumns.Values ? LeafColumns.Values : LeafColumns.Trees;
        LeafRange range = await RangeAsync(session, new LeafRange(first, maxLeaves, columns), last, cancellationToken);
        Statements statements = session.Database.Statements;
        Sql select = columns == LeafColumns.Values ? statements.NamesWithValues : statements.NamesOfTrees;
        return (range.IsEmpty
            ? LeafBatch.Empty
            : await ReadRowsAsync(session, select, range, range.BuilderOfSome(), columns, cancellationToken), range.Through);
    }

    private static async Task<LeafRange> RangeAsync(ISession session, LeafRange range, ulong last, CancellationToken cancellationToken)
    {
        Parameter[] epochs = [Parameter.Create("first", range.First), Parameter.Create("last", last), Parameter.Create("max", MaxEpochs)];
        await using IRows rows = await session.QueryAsync(session.Database.Statements.EpochSizes, cancellationToken, epochs);
        while (await rows.ReadAsync(cancellationToken) && range.TryAdd(rows.GetUInt64(0), rows.GetInt64(1), rows.GetInt64(2)))
        {
        }
        return range;
    }

    private static async Task<LeafBatch> ReadRowsAsync(
        ISession session, Sql select, LeafRange range, LeafBatchBuilder batch, LeafColumns columns, CancellationToken cancellationToken)
    {
        await using IRows rows = await session.QueryAsync(
            select, cancellationToken, Parameter.Create("first", range.First), Parameter.Create("last", range.Through!.Value));
        while (await rows.ReadAsync(cancellationToken))
        {
            ulong number = rows.GetUInt64(0);
            ref LeafRow row = ref batch.Add(
                number >> OrdinalBits, (int)(number & ((1 << OrdinalBits) - 1)), (StructureId)rows.GetInt16(1), rows.GetUInt64(2));
            row.Label = rows.GetSpan(3);
            row.Commitment = rows.GetSpan(4);
            row.Tag = rows.GetSpan(5);
            bool hasValue = columns >= LeafColumns.Lists && !rows.IsNull(6);
            if (hasValue)
            {
                batch.SetValue(rows.GetSpan(6), rows.GetSpan(7));
            }
            if (columns == LeafColumns.All)
            {
                batch.SetOrigin(new LeafOrigin(rows.GetRequestId(9), rows.GetInt16(8)), rows.GetSpan(10));
            }
        }
        return batch.Complete();
    }
}
