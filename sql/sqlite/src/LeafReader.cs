using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage.Sqlite.Engine;

namespace Optiks.Storage.Sqlite;

/// <summary>LeafReader reads the leaves of whole epochs into a flat batch.</summary>
internal static class LeafReader
{
    /// <summary>Read reads epochs from <paramref name="first"/> on, as many as come to about <paramref name="batchRows"/> leaves, at least one, and says which was the last; null when there is none.</summary>
    public static (LeafBatch Batch, ulong? Through) Read(Connection connection, ulong first, ulong last, int batchRows)
    {
        var range = new LeafRange(first, batchRows);
        using (Statement select = connection.Prepare("SELECT epoch, leaves, value_bytes FROM epoch WHERE epoch BETWEEN ? AND ? ORDER BY epoch"))
        {
            select.Bind(1, first).Bind(2, last);
            while (select.Step() && range.TryAdd(select.ULong(0), select.Long(1), select.Long(2)))
            {
            }
        }
        return (range.IsEmpty ? LeafBatch.Empty : ReadRows(connection, range), range.Through);
    }

    private static LeafBatch ReadRows(Connection connection, LeafRange range)
    {
        LeafBatchBuilder batch = range.Builder();
        using Statement select = connection.Prepare(
            """
            SELECT l.id, l.structure, l.version, l.item, l.label, l.commitment, l.tag, l.request_id, v.opening, v.key, v.value
            FROM leaf AS l LEFT JOIN value AS v ON v.id = l.id WHERE l.id BETWEEN ? AND ? ORDER BY l.id
            """);
        select.Bind(1, RowIds.Leaf(range.First, 0)).Bind(2, RowIds.LastLeaf(range.Through!.Value));
        while (select.Step())
        {
            long id = select.Long(0);
            ref LeafRow row = ref batch.Add(
                RowIds.EpochOf(id), RowIds.OrdinalOf(id), (StructureId)select.Int(1), select.ULong(2), new LeafOrigin(select.RequestId(7), select.Int(3)));
            row.Label = select.Span(4);
            row.Commitment = select.Span(5);
            row.Tag = select.Span(6);
            if (!select.IsNull(8))
            {
                batch.SetValue(select.Span(8), select.Span(9), select.Span(10));
            }
        }
        return batch.Complete();
    }
}
