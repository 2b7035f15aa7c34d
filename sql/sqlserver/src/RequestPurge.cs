using Optiks.Storage.SqlServer.Engine;

namespace Optiks.Storage.SqlServer;

/// <summary>RequestPurge forgets old requests.</summary>
internal static class RequestPurge
{
    // Ends with how many.
    private static readonly Statement s_purge = new(
        $"""
        DECLARE @old TABLE (Seq bigint NOT NULL PRIMARY KEY);
        INSERT INTO @old (Seq)
        SELECT TOP (@max) r.Seq FROM optiks.Request AS r CROSS JOIN optiks.Head AS h WHERE r.RequestId < @bound
        AND NOT EXISTS (SELECT 1 FROM optiks.Pending AS p WHERE p.Seq = r.Seq)
        AND NOT EXISTS (SELECT 1 FROM optiks.Outcome AS o WHERE o.Seq = r.Seq AND (h.PublishedEpoch IS NULL OR o.Epoch > h.PublishedEpoch))
        ORDER BY r.RequestId OPTION (LOOP JOIN);
        DELETE o FROM @old AS d JOIN optiks.Outcome AS o ON o.Seq = d.Seq {Statement.ByIndex};
        DELETE r FROM @old AS d JOIN optiks.Request AS r ON r.Seq = d.Seq {Statement.ByIndex};
        SELECT COUNT_BIG(*) FROM @old;
        """);

    /// <summary>RunAsync deletes requests whose id's time is too long ago, with their outcomes: none that is pending or whose epoch is not published.</summary>
    public static async Task<int> RunAsync(Connection connection, Lease lease, int maxRequests, CancellationToken cancellationToken)
    {
        if (!await Fencing.HoldAsync(connection, lease, cancellationToken))
        {
            throw new StorageFencedException("Old requests were not purged: the lease is lost.");
        }
        byte[] bound = new byte[RequestIds.Length];
        RequestIds.WriteLowerBound(await SqlServerHeadReader.ReadClockAsync(connection, cancellationToken) - Limits.RequestRetention, bound);
        return checked((int)(long)(await connection.ScalarAsync(s_purge, cancellationToken, Parameters.Int("@max", maxRequests), Parameters.RequestId("@bound", RequestIds.Read(bound))))!);
    }
}
