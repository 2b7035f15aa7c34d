using Optiks.Protocol;
using Optiks.Storage.Sqlite.Engine;

namespace Optiks.Storage.Sqlite;

/// <summary>PendingReader reads pending rows in order of acceptance, as far as a selection wants them.</summary>
internal static class PendingReader
{
    /// <summary>Read shows the selection the rows that it was not shown yet, and gives it back.</summary>
    public static PendingSelection Read(Connection connection, PendingSelection selection)
    {
        var skipped = new HashSet<long>(selection.Underway.Length);
        foreach (long sequence in selection.Underway)
        {
            _ = skipped.Add(sequence);
        }
        using Statement select = connection.Prepare(
            """
            SELECT p.id, r.request_id, r.body_hash, p.structure, p.key, p.value, p.expected_period, p.expected_version
            FROM pending AS p LEFT JOIN request AS r ON r.seq = p.id >> 8 WHERE p.id > ? ORDER BY p.id
            """);
        _ = select.Bind(1, RowIds.Item(selection.After.Sequence, selection.After.Item));
        while (!selection.IsFull && select.Step())
        {
            long id = select.Long(0);
            // Columns of rows that are underway are not read, so their values never leave the page cache.
            if (!skipped.Contains(RowIds.SequenceOf(id)))
            {
                _ = selection.TryAdd(Read(select, id));
            }
        }
        return selection;
    }

    private static PendingRow Read(Statement select, long id)
    {
        ExpectedVersion? expected = select.IsNull(6) ? null : new ExpectedVersion(select.ULong(6), select.ULong(7));
        return new PendingRow(
            RowIds.SequenceOf(id),
            RowIds.ItemOf(id),
            select.IsNull(1) ? null : select.RequestId(1),
            select.Octets(2),
            new AcceptItem((StructureId)select.Int(3), select.Octets(4), select.Octets(5), expected));
    }
}
