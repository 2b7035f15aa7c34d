using Optiks.Storage.Sqlite.Engine;

namespace Optiks.Storage.Sqlite;

/// <summary>RequestPurge forgets old requests.</summary>
internal static class RequestPurge
{
    /// <summary>Run deletes requests whose id's time is before a time, with their outcomes: none that is pending or whose epoch is not published.</summary>
    public static int Run(Connection connection, Lease lease, DateTimeOffset before, int maxRequests)
    {
        using (Statement fence = connection.Prepare("SELECT 1 FROM head WHERE fence = ? AND holder = ?"))
        {
            if (!fence.Bind(1, lease.Fence).Bind(2, lease.Holder).Step())
            {
                throw new StorageFencedException("Old requests were not purged: the lease is lost.");
            }
        }
        Span<byte> bound = stackalloc byte[RequestIds.Length];
        RequestIds.WriteLowerBound(before, bound);
        var sequences = new List<long>();
        using (Statement select = connection.Prepare(
            """
            SELECT seq FROM request AS r WHERE request_id < ?
            AND NOT EXISTS (SELECT 1 FROM pending WHERE id BETWEEN r.seq << 8 AND r.seq << 8 | 255)
            AND NOT EXISTS (SELECT 1 FROM outcome AS o JOIN head AS h WHERE o.id BETWEEN r.seq << 8 AND r.seq << 8 | 255 AND (h.published_epoch IS NULL OR o.epoch > h.published_epoch))
            ORDER BY request_id LIMIT ?
            """))
        {
            select.Bind(1, bound).Bind(2, maxRequests);
            while (select.Step())
            {
                sequences.Add(select.Long(0));
            }
        }
        using Statement outcomes = connection.Prepare("DELETE FROM outcome WHERE id BETWEEN ? AND ?");
        using Statement request = connection.Prepare("DELETE FROM request WHERE seq = ?");
        foreach (long sequence in sequences)
        {
            outcomes.Bind(1, RowIds.Item(sequence, 0)).Bind(2, RowIds.LastItem(sequence)).Execute();
            request.Bind(1, sequence).Execute();
        }
        return sequences.Count;
    }
}
