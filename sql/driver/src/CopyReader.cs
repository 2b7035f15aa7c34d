using System.Buffers;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Storage.Driver;

/// <summary>CopyReader reads rows of copies. They are only ever added, but that values go: its statements need not see one moment.</summary>
internal static class CopyReader
{
    /// <summary>MaxValueBytes of a page, but for the last of its values.</summary>
    public const long MaxValueBytes = 16L << 20;

    /// <summary>NextAsync gives the state of a period and the number after its last copy; null: there is no such period.</summary>
    public static Task<(PeriodState State, int Number)?> NextAsync(ISession session, ulong period, CancellationToken cancellationToken) =>
        session.FirstAsync<(PeriodState, int)?>(
            session.Database.Statements.NextCopy, rows => ((PeriodState)rows.Small(0), rows.Medium(1)), cancellationToken, Parameter.Of("period", period));

    /// <summary>HasLastAsync says whether the last row of a batch is stored as it is.</summary>
    public static Task<bool> HasLastAsync(ISession session, CopyBatch copies, CancellationToken cancellationToken)
    {
        LeafRow last = copies.Rows.Span[^1];
        return session.FirstAsync(
            session.Database.Statements.HasCopy,
            _ => true,
            cancellationToken,
            Parameter.Of("period", copies.Period),
            Parameter.Of("number", copies.End - 1),
            Parameter.Of("label", last.Label.ToArray()),
            Parameter.Of("commitment", last.Commitment.ToArray()));
    }

    /// <summary>FindAsync finds the copy of a name: of the rows with its label the last one counts; null: there is none, or that one takes the key out.</summary>
    public static Task<LeafPlace?> FindAsync(ISession session, ulong period, LeafName name, CancellationToken cancellationToken) => session.FirstAsync(
        session.Database.Statements.FindCopy,
        rows => rows.Natural(1) == 0 ? null : new LeafPlace(0, rows.Medium(0), rows.Flag(2)) { Period = period },
        cancellationToken,
        Parameter.Of("period", period),
        Parameter.Of("structure", (int)name.Structure),
        Parameter.Of("label", name.Label));

    /// <summary>ReadAsync reads a page.</summary>
    public static async Task<CopyBatch> ReadAsync(ISession session, ulong period, int first, int max, LeafColumns columns, CancellationToken cancellationToken)
    {
        Statements statements = session.Database.Statements;
        Sql select = columns switch
        {
            LeafColumns.Trees => statements.CopiesOfTrees,
            LeafColumns.Lists => statements.CopiesWithLists,
            _ => statements.WholeCopies,
        };
        var copies = new List<LeafRow>();
        var sources = new List<CopySource>();
        var keyEnds = new List<int>();
        var values = new ArrayBufferWriter<byte>();
        var keys = new ArrayBufferWriter<byte>();
        Parameter[] page = [Parameter.Of("period", period), Parameter.Of("number", first), Parameter.Of("max", max)];
        await using IRows rows = await session.QueryAsync(select, cancellationToken, columns == LeafColumns.Trees ? page : [.. page, Parameter.Of("bytes", MaxValueBytes)]);
        while (values.WrittenCount <= MaxValueBytes && await rows.ReadAsync(cancellationToken))
        {
            if (rows.Medium(0) != first + copies.Count)
            {
                throw new StorageCorruptException($"The database {session.Database.Location} lacks copy {first + copies.Count} of period {period}: restore it.");
            }
            sources.Add(Source(rows, 2));
            var row = new LeafRow
            {
                Structure = (StructureId)rows.Small(1),
                Version = sources[^1].IsDrop ? 0UL : 1,
                Label = rows.Span(5),
                Commitment = rows.Span(6),
                Tag = rows.Span(7),
                ValueOffset = LeafRow.NoValue,
            };
            if (columns >= LeafColumns.Lists && !rows.IsNull(8))
            {
                row.Opening = rows.Span(8);
                row.ValueOffset = (ulong)values.WrittenCount;
                values.Write(rows.Span(9));
                row.ValueLength = (uint)(values.WrittenCount - (int)row.ValueOffset);
                if (columns == LeafColumns.All)
                {
                    keys.Write(rows.Span(10));
                }
            }
            copies.Add(row);
            if (columns == LeafColumns.All)
            {
                keyEnds.Add(keys.WrittenCount);
            }
        }
        return new CopyBatch(period, first, copies.ToArray(), sources.ToArray(), values.WrittenMemory, keys.WrittenMemory, keyEnds.ToArray());
    }

    /// <summary>Source from the columns version, source_epoch, source_ordinal, the first of which is <paramref name="column"/>.</summary>
    public static CopySource Source(IRows rows, int column) =>
        rows.IsNull(column + 1) ? default : new CopySource(rows.Natural(column), rows.Natural(column + 1), rows.Medium(column + 2));
}
