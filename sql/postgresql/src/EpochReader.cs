using Npgsql;
using NpgsqlTypes;
using Optiks.Storage.PostgreSql.Engine;

namespace Optiks.Storage.PostgreSql;

/// <summary>EpochReader reads back what an epoch's transaction wrote.</summary>
internal static class EpochReader
{
    /// <summary>HasRecordAsync says whether an epoch is stored with exactly this record.</summary>
    public static async Task<bool> HasRecordAsync(NpgsqlConnection connection, EpochRow epoch, CancellationToken cancellationToken)
    {
        await using NpgsqlCommand select = connection.Command(
            "SELECT 1 FROM epoch WHERE epoch = $1 AND record_hash = $2", Commands.Bigint(epoch.Epoch), Commands.Bytea(epoch.RecordHash));
        return await select.ExecuteScalarAsync(cancellationToken) is not null;
    }

    /// <summary>ReadAsync reads a committed epoch whole.</summary>
    public static async Task<EpochContent> ReadAsync(NpgsqlConnection connection, ulong epoch, CancellationToken cancellationToken)
    {
        EpochRow row;
        await using (NpgsqlCommand select = connection.Command("SELECT record, record_hash, checkpoint FROM epoch WHERE epoch = $1", Commands.Bigint(epoch)))
        await using (NpgsqlDataReader reader = await select.ExecuteReaderAsync(cancellationToken))
        {
            row = await reader.ReadAsync(cancellationToken)
                ? new EpochRow(epoch, reader.Octets(0), reader.Octets(1), reader.Octets(2))
                : throw new StorageCorruptException($"The database lacks epoch {epoch}, which its head names: restore it.");
        }
        LeafBatch leaves = (await LeafReader.ReadAsync(connection, epoch, epoch, batchRows: 1, cancellationToken)).Batch;
        return new EpochContent(row, leaves, await ReadOutcomesAsync(connection, epoch, leaves, cancellationToken));
    }

    private static async Task<List<Outcome>> ReadOutcomesAsync(NpgsqlConnection connection, ulong epoch, LeafBatch leaves, CancellationToken cancellationToken)
    {
        var outcomes = new List<Outcome>();
        LeafOrigin[] origins = leaves.Origins.ToArray();
        // From the leaves, as outcomes have no index by epoch.
        await using (NpgsqlCommand select = connection.Command(
            """
            SELECT r.seq, r.body_hash FROM unnest($1) WITH ORDINALITY AS o (request_id, number)
            LEFT JOIN LATERAL (SELECT seq, body_hash FROM request WHERE request_id = o.request_id OFFSET 0) AS r ON true ORDER BY o.number
            """,
            Commands.List(Array.ConvertAll(origins, origin => origin.RequestId), NpgsqlDbType.Uuid)))
        await using (NpgsqlDataReader reader = await select.ExecuteReaderAsync(cancellationToken))
        {
            for (int i = 0; await reader.ReadAsync(cancellationToken); i++)
            {
                if (reader.IsDBNull(0))
                {
                    throw new StorageCorruptException($"The database lacks a request of the unpublished epoch {epoch}: restore it.");
                }
                outcomes.Add(new Outcome(origins[i].RequestId, reader.GetInt64(0), origins[i].Item, i, null) { BodyHash = reader.Octets(1) });
            }
        }
        await using NpgsqlCommand refused = connection.Command(
            """
            SELECT o.seq, o.item, r.request_id, o.refusal, o.refused_item, o.current_period, o.current_version, r.body_hash
            FROM outcome AS o CROSS JOIN LATERAL (SELECT request_id, body_hash FROM request WHERE seq = o.seq OFFSET 0) AS r
            WHERE o.epoch = $1 AND o.refusal IS NOT NULL ORDER BY o.seq, o.item
            """,
            Commands.Bigint(epoch));
        await using NpgsqlDataReader refusals = await refused.ExecuteReaderAsync(cancellationToken);
        while (await refusals.ReadAsync(cancellationToken))
        {
            var refusal = new Refusal((RefusalReason)refusals.GetInt16(3), refusals.GetInt16(4), new ExpectedVersion(refusals.Ulong(5), refusals.Ulong(6)));
            outcomes.Add(new Outcome(refusals.GetGuid(2), refusals.GetInt64(0), refusals.GetInt16(1), null, refusal) { BodyHash = refusals.Octets(7) });
        }
        return outcomes;
    }
}
