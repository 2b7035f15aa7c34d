using Optiks.Storage.Sqlite.Engine;

namespace Optiks.Storage.Sqlite;

/// <summary>EpochReader reads back what an epoch's transaction wrote.</summary>
internal static class EpochReader
{
    /// <summary>HasRecord says whether an epoch is stored with exactly this record.</summary>
    public static bool HasRecord(Connection connection, EpochRow epoch)
    {
        using Statement select = connection.Prepare("SELECT 1 FROM epoch WHERE epoch = ? AND record_hash = ?");
        return select.Bind(1, epoch.Epoch).Bind(2, epoch.RecordHash.Span).Step();
    }

    /// <summary>Read reads a committed epoch whole.</summary>
    public static EpochContent Read(Connection connection, ulong epoch)
    {
        EpochRow row;
        using (Statement select = connection.Prepare("SELECT record, record_hash, checkpoint FROM epoch WHERE epoch = ?"))
        {
            row = select.Bind(1, epoch).Step()
                ? new EpochRow(epoch, select.Octets(0), select.Octets(1), select.Octets(2))
                : throw new StorageCorruptException($"The database {connection.Path} lacks epoch {epoch}, which its head names: restore it.");
        }
        LeafBatch leaves = LeafReader.Read(connection, epoch, epoch, batchRows: 1).Batch;
        return new EpochContent(row, leaves, ReadOutcomes(connection, epoch, leaves));
    }

    private static List<Outcome> ReadOutcomes(Connection connection, ulong epoch, LeafBatch leaves)
    {
        var outcomes = new List<Outcome>();
        // From the leaves, as outcomes have no index by epoch.
        using (Statement select = connection.Prepare("SELECT seq, body_hash FROM request WHERE request_id = ?"))
        {
            ReadOnlySpan<LeafOrigin> origins = leaves.Origins.Span;
            for (int i = 0; i < origins.Length; i++)
            {
                if (!select.Reset().Bind(1, origins[i].RequestId).Step())
                {
                    throw new StorageCorruptException($"The database {connection.Path} lacks a request of the unpublished epoch {epoch}: restore it.");
                }
                outcomes.Add(new Outcome(origins[i].RequestId, select.Long(0), origins[i].Item, i, null) { BodyHash = select.Octets(1) });
            }
        }
        using Statement refused = connection.Prepare(
            """
            SELECT o.id, r.request_id, o.refusal, o.refused_item, o.current_period, o.current_version, r.body_hash
            FROM outcome AS o JOIN request AS r ON r.seq = o.id >> 8 WHERE o.epoch = ? AND o.refusal IS NOT NULL ORDER BY o.id
            """);
        refused.Bind(1, epoch);
        while (refused.Step())
        {
            long id = refused.Long(0);
            var refusal = new Refusal((RefusalReason)refused.Int(2), refused.Int(3), new ExpectedVersion(refused.ULong(4), refused.ULong(5)));
            outcomes.Add(new Outcome(refused.RequestId(1), RowIds.SequenceOf(id), RowIds.ItemOf(id), null, refusal) { BodyHash = refused.Octets(6) });
        }
        return outcomes;
    }
}
