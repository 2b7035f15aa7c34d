using Npgsql;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage.PostgreSql.Engine;

namespace Optiks.Storage.PostgreSql;

/// <summary>LeafReader reads the leaves of whole epochs into a flat batch.</summary>
internal static class LeafReader
{
    /// <summary>ReadAsync reads epochs from <paramref name="first"/> on, as many as come to about <paramref name="batchRows"/> leaves, at least one, and says which was the last; null when there is none.</summary>
    public static async Task<(LeafBatch Batch, ulong? Through)> ReadAsync(NpgsqlConnection connection, ulong first, ulong last, int batchRows, CancellationToken cancellationToken)
    {
        var range = new LeafRange(first, batchRows);
        // Far more epochs than a batch holds are not looked at: an empty one counts too, so that what is read stays bounded.
        await using (NpgsqlCommand select = connection.Command(
            "SELECT epoch, leaves, value_bytes FROM epoch WHERE epoch BETWEEN $1 AND $2 ORDER BY epoch LIMIT 4096", Commands.Bigint(first), Commands.Bigint(last)))
        await using (NpgsqlDataReader reader = await select.ExecuteReaderAsync(cancellationToken))
        {
            while (await reader.ReadAsync(cancellationToken) && range.TryAdd(reader.Ulong(0), reader.GetInt64(1), reader.GetInt64(2)))
            {
            }
        }
        return (range.IsEmpty ? LeafBatch.Empty : await ReadRowsAsync(connection, range, cancellationToken), range.Through);
    }

    private static async Task<LeafBatch> ReadRowsAsync(NpgsqlConnection connection, LeafRange range, CancellationToken cancellationToken)
    {
        LeafBatchBuilder batch = range.Builder();
        // Values' range said too: both tables are then read in the order of their keys and merged.
        await using NpgsqlCommand select = connection.Command(
            """
            SELECT l.epoch, l.ordinal, l.structure, l.version, l.item, l.label, l.commitment, l.tag, l.request_id, v.opening, v.key, v.value
            FROM leaf AS l LEFT JOIN value AS v ON v.epoch = l.epoch AND v.ordinal = l.ordinal AND v.epoch BETWEEN $1 AND $2
            WHERE l.epoch BETWEEN $1 AND $2 ORDER BY l.epoch, l.ordinal
            """,
            Commands.Bigint(range.First),
            Commands.Bigint(range.Through!.Value));
        await using NpgsqlDataReader reader = await select.ExecuteReaderAsync(cancellationToken);
        while (await reader.ReadAsync(cancellationToken))
        {
            ref LeafRow row = ref batch.Add(reader.Ulong(0), reader.GetInt32(1), (StructureId)reader.GetInt16(2), reader.Ulong(3), new LeafOrigin(reader.GetGuid(8), reader.GetInt16(4)));
            row.Label = reader.Octets(5);
            row.Commitment = reader.Octets(6);
            row.Tag = reader.Octets(7);
            if (!reader.IsDBNull(9))
            {
                batch.SetValue(reader.Octets(9), reader.Octets(10), reader.Octets(11));
            }
        }
        return batch.Complete();
    }
}
