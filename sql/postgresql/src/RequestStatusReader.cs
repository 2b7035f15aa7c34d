using Npgsql;
using Optiks.Protocol;
using Optiks.Storage.PostgreSql.Engine;

namespace Optiks.Storage.PostgreSql;

/// <summary>RequestStatusReader says what became of a request.</summary>
internal static class RequestStatusReader
{
    /// <summary>ReadAsync inside a transaction; null: the id is not known.</summary>
    public static async Task<RequestStatus?> ReadAsync(NpgsqlConnection connection, Guid requestId, CancellationToken cancellationToken)
    {
        // Row by row, each looked up by its index, as nothing else is left to a plan: by statistics of other times, joins went through all requests for each status.
        await using NpgsqlCommand select = connection.Command(
            """
            WITH r AS MATERIALIZED (SELECT seq FROM request WHERE request_id = $1)
            SELECT h.published_epoch, EXISTS (SELECT FROM pending WHERE seq = r.seq OFFSET 0), o.epoch, o.refusal, o.refused_item, o.current_period, o.current_version, o.ordinal,
                   l.structure, l.period, l.version, v.key
            FROM r CROSS JOIN head AS h
            LEFT JOIN LATERAL (SELECT * FROM outcome WHERE seq = r.seq OFFSET 0) AS o ON true
            LEFT JOIN LATERAL (SELECT structure, period, version FROM leaf WHERE epoch = o.epoch AND ordinal = o.ordinal OFFSET 0) AS l ON true
            LEFT JOIN LATERAL (SELECT key FROM value WHERE epoch = o.epoch AND ordinal = o.ordinal OFFSET 0) AS v ON true
            ORDER BY o.item
            """,
            Commands.Uuid(requestId));
        await using NpgsqlDataReader reader = await select.ExecuteReaderAsync(cancellationToken);
        var items = new List<PublishedItem>();
        ulong epoch = 0;
        while (await reader.ReadAsync(cancellationToken))
        {
            if (reader.IsDBNull(2))
            {
                return reader.GetBoolean(1)
                    ? new RequestStatus(RequestState.Pending, 0, [], null)
                    : throw new StorageCorruptException("The database has a request that is neither pending nor decided: restore it.");
            }
            epoch = reader.Ulong(2);
            if (reader.NullableUlong(0) is not ulong published || epoch > published)
            {
                return new RequestStatus(RequestState.Pending, 0, [], null);
            }
            if (!reader.IsDBNull(3))
            {
                var current = new ExpectedVersion(reader.Ulong(5), reader.Ulong(6));
                return new RequestStatus(RequestState.Refused, epoch, [], new Refusal((RefusalReason)reader.GetInt16(3), reader.GetInt16(4), current));
            }
            if (reader.IsDBNull(8))
            {
                throw new StorageCorruptException($"The database has an outcome without its leaf in epoch {epoch}: restore it.");
            }
            items.Add(new PublishedItem((StructureId)reader.GetInt16(8), reader.Ulong(9), reader.Ulong(10), reader.GetInt32(7), reader.Octets(11)));
        }
        return items.Count > 0 ? new RequestStatus(RequestState.Published, epoch, items, null) : null;
    }
}
