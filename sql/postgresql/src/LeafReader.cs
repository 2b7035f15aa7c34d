using Npgsql;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage.PostgreSql.Engine;

namespace Optiks.Storage.PostgreSql;

/// <summary>LeafReader reads the leaves of whole epochs into a flat batch.</summary>
internal static class LeafReader
{
    /// <summary>ReadAsync reads epochs from <paramref name="first"/> on, as many as come to about <paramref name="batchRows"/> leaves, at least one, and says which was the last; null when there is none.</summary>
    public static async Task<(LeafBatch Batch, ulong? Through)> ReadAsync(NpgsqlConnection connection, ulong first, ulong last, int batchRows, LeafColumns columns, CancellationToken cancellationToken)
    {
        var range = new LeafRange(first, batchRows, columns);
        // Far more epochs than a batch holds are not looked at: an empty one counts too, so that what is read stays bounded.
        await using (NpgsqlCommand select = connection.Command(
            "SELECT epoch, leaves, value_bytes FROM epoch WHERE epoch BETWEEN $1 AND $2 ORDER BY epoch LIMIT 4096", Commands.Bigint(first), Commands.Bigint(last)))
        await using (NpgsqlDataReader reader = await select.ExecuteReaderAsync(cancellationToken))
        {
            while (await reader.ReadAsync(cancellationToken) && range.TryAdd(reader.Ulong(0), reader.GetInt64(1), reader.GetInt64(2)))
            {
            }
        }
        return (range.IsEmpty ? LeafBatch.Empty : await ReadRowsAsync(connection, range, columns, cancellationToken), range.Through);
    }

    private static async Task<LeafBatch> ReadRowsAsync(NpgsqlConnection connection, LeafRange range, LeafColumns columns, CancellationToken cancellationToken)
    {
        LeafBatchBuilder batch = range.Builder();
        bool values = columns >= LeafColumns.Values;
        bool all = columns == LeafColumns.All;
        // Values' range is said too: both tables are then read in the order of their keys and merged.
        await using NpgsqlCommand select = connection.Command(
            $"""
            SELECT l.epoch, l.ordinal, l.structure, l.version, l.label, l.commitment, l.tag{(values ? ", v.opening, v.value" : "")}{(all ? ", l.item, l.request_id, v.key" : "")}
            FROM leaf AS l {(values ? "LEFT JOIN value AS v ON v.epoch = l.epoch AND v.ordinal = l.ordinal AND v.epoch BETWEEN $1 AND $2" : "")}
            WHERE l.epoch BETWEEN $1 AND $2 ORDER BY l.epoch, l.ordinal
            """,
            Commands.Bigint(range.First),
            Commands.Bigint(range.Through!.Value));
        await using NpgsqlDataReader reader = await select.ExecuteReaderAsync(cancellationToken);
        while (await reader.ReadAsync(cancellationToken))
        {
            ref LeafRow row = ref batch.Add(reader.Ulong(0), reader.GetInt32(1), (StructureId)reader.GetInt16(2), reader.Ulong(3));
            row.Label = reader.Octets(4);
            row.Commitment = reader.Octets(5);
            row.Tag = reader.Octets(6);
            bool hasValue = values && !reader.IsDBNull(7);
            if (hasValue)
            {
                batch.SetValue(reader.Octets(7), reader.Octets(8));
            }
            if (all)
            {
                batch.SetOrigin(new LeafOrigin(reader.GetGuid(10), reader.GetInt16(9)), hasValue ? reader.Octets(11) : []);
            }
        }
        return batch.Complete();
    }
}
