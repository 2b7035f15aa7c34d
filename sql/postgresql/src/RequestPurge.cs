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
        await using NpgsqlCommand purge = connection.Command(
            """
            WITH old AS (
              SELECT r.seq FROM request AS r CROSS JOIN head AS h WHERE r.request_id < $1
              AND NOT EXISTS (SELECT FROM pending AS p WHERE p.seq = r.seq)
              AND NOT EXISTS (SELECT FROM outcome AS o WHERE o.seq = r.seq AND (h.published_epoch IS NULL OR o.epoch > h.published_epoch))
              ORDER BY r.request_id LIMIT $2
            ), forgotten AS (DELETE FROM outcome AS o USING old WHERE o.seq = old.seq)
            DELETE FROM request AS r USING old WHERE r.seq = old.seq
            """,
            Commands.Uuid(RequestIds.Read(bound)),
            Commands.Integer(maxRequests));
        return await purge.ExecuteNonQueryAsync(cancellationToken);
    }
}
