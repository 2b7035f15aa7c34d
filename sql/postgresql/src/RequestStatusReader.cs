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
        await using NpgsqlCommand select = connection.Command(
            """
            SELECT h.published_epoch, EXISTS (SELECT FROM pending AS p WHERE p.seq = r.seq), o.epoch, o.refusal, o.refused_item, o.current_period, o.current_version, o.ordinal,
                   l.structure, l.period, l.version, v.key
            FROM request AS r CROSS JOIN head AS h LEFT JOIN outcome AS o ON o.seq = r.seq
            LEFT JOIN leaf AS l ON l.epoch = o.epoch AND l.ordinal = o.ordinal LEFT JOIN value AS v ON v.epoch = l.epoch AND v.ordinal = l.ordinal
            WHERE r.request_id = $1 ORDER BY o.item
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
