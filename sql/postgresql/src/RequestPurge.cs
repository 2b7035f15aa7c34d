using Npgsql;
using Optiks.Storage.PostgreSql.Engine;

namespace Optiks.Storage.PostgreSql;

/// <summary>RequestPurge forgets old requests.</summary>
internal static class RequestPurge
{
    /// <summary>RunAsync deletes requests whose id's time is too long ago, with their outcomes: none that is pending or whose epoch is not published.</summary>
    public static async Task<int> RunAsync(NpgsqlConnection connection, Lease lease, int maxRequests, CancellationToken cancellationToken)
    {
        await using (NpgsqlCommand fence = connection.Command(
            "SELECT 1 FROM head WHERE fence = $1 AND holder = $2 FOR SHARE", Commands.Bigint(lease.Fence), Commands.Text(lease.Holder)))
        {
            if (await fence.ExecuteScalarAsync(cancellationToken) is null)
            {
                throw new StorageFencedException("Old requests were not purged: the lease is lost.");
            }
        }
        byte[] bound = new byte[RequestIds.Length];
        RequestIds.WriteLowerBound(await PostgreSqlHeadReader.ReadClockAsync(connection, cancellationToken) - Limits.RequestRetention, bound);
        // From the oldest id on, and everything else row by row by its index: joins would go through all requests and outcomes that are kept, at every epoch.
        await using NpgsqlCommand purge = connection.Command(
            """
            WITH old AS MATERIALIZED (
              SELECT r.seq FROM request AS r WHERE r.request_id < $1
              AND (SELECT p.seq FROM pending AS p WHERE p.seq = r.seq LIMIT 1) IS NULL
              AND (SELECT o.seq FROM outcome AS o WHERE o.seq = r.seq AND o.epoch > (SELECT coalesce(published_epoch, -1) FROM head WHERE one = 1) LIMIT 1) IS NULL
              ORDER BY r.request_id LIMIT $2
            ), forgotten AS (DELETE FROM outcome WHERE seq = ANY (ARRAY(SELECT seq FROM old)))
            DELETE FROM request WHERE seq = ANY (ARRAY(SELECT seq FROM old))
            """,
            Commands.Uuid(RequestIds.Read(bound)),
            Commands.Integer(maxRequests));
        return await purge.ExecuteNonQueryAsync(cancellationToken);
    }
}
