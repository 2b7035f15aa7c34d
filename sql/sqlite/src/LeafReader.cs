using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage.Sqlite.Engine;

namespace Optiks.Storage.Sqlite;

/// <summary>LeafReader reads the leaves of whole epochs into a flat batch.</summary>
internal static class LeafReader
{
    /// <summary>Read reads epochs from <paramref name="first"/> on, as many as come to about <paramref name="batchRows"/> leaves, at least one, and says which was the last; null when there is none.</summary>
    public static (LeafBatch Batch, ulong? Through) Read(Connection connection, ulong first, ulong last, int batchRows, LeafColumns columns)
    {
        var range = new LeafRange(first, batchRows, columns);
        using (Statement select = connection.Prepare("SELECT epoch, leaves, value_bytes FROM epoch WHERE epoch BETWEEN ? AND ? ORDER BY epoch"))
        {
            select.Bind(1, first).Bind(2, last);
            while (select.Step() && range.TryAdd(select.ULong(0), select.Long(1), select.Long(2)))
            {
            }
        }
        return (range.IsEmpty ? LeafBatch.Empty : ReadRows(connection, range, columns), range.Through);
    }

    private static LeafBatch ReadRows(Connection connection, LeafRange range, LeafColumns columns)
    {
        LeafBatchBuilder batch = range.Builder();
        bool values = columns >= LeafColumns.Values;
        bool all = columns == LeafColumns.All;
        using Statement select = connection.Prepare(
            $"""
            SELECT l.id, l.structure, l.version, l.label, l.commitment, l.tag{(values ? ", v.opening, v.value" : "")}{(all ? ", l.item, l.request_id, v.key" : "")}
            FROM leaf AS l {(values ? "LEFT JOIN value AS v ON v.id = l.id" : "")} WHERE l.id BETWEEN ? AND ? ORDER BY l.id
            """);
        select.Bind(1, RowIds.Leaf(range.First, 0)).Bind(2, RowIds.LastLeaf(range.Through!.Value));
        while (select.Step())
        {
            long id = select.Long(0);
            ref LeafRow row = ref batch.Add(RowIds.EpochOf(id), RowIds.OrdinalOf(id), (StructureId)select.Int(1), select.ULong(2));
            row.Label = select.Span(3);
            row.Commitment = select.Span(4);
            row.Tag = select.Span(5);
            bool hasValue = values && !select.IsNull(6);
            if (hasValue)
            {
                batch.SetValue(select.Span(6), select.Span(7));
            }
            if (all)
            {
                batch.SetOrigin(new LeafOrigin(select.RequestId(9), select.Int(8)), hasValue ? select.Span(10) : []);
            }
        }
        return batch.Complete();
    }
}
