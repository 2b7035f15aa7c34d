using Npgsql;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage.PostgreSql.Engine;

namespace Optiks.Storage.PostgreSql;

/// <summary>LeafReader reads the leaves of whole epochs into a flat batch.</summary>
internal static class LeafReader
{
    // An epoch takes at most 64 MiB of updates; more epochs join a batch only up to this.
    private const long MaxValueBytes = 64L << 20;

    /// <summary>ReadAsync reads epochs from <paramref name="first"/> on, as many as come to about <paramref name="batchRows"/> leaves, at least one, and says which was the last; null when there is none.</summary>
    public static async Task<(LeafBatch Batch, ulong? Through)> ReadAsync(NpgsqlConnection connection, ulong first, ulong last, int batchRows, CancellationToken cancellationToken)
    {
        ulong? through = null;
        long rows = 0;
        long valueBytes = 0;
        // Far more epochs than a batch holds are not looked at: an empty one counts too, so that what is read stays bounded.
        await using (NpgsqlCommand select = connection.Command(
            "SELECT epoch, leaves, value_bytes FROM epoch WHERE epoch BETWEEN $1 AND $2 ORDER BY epoch LIMIT 4096", Commands.Bigint(first), Commands.Bigint(last)))
        await using (NpgsqlDataReader reader = await select.ExecuteReaderAsync(cancellationToken))
        {
            while (await reader.ReadAsync(cancellationToken))
            {
                bool fits = rows + reader.GetInt64(1) <= batchRows && valueBytes + reader.GetInt64(2) <= MaxValueBytes;
                if (through is not null && !fits)
                {
                    break;
                }
                through = reader.Ulong(0);
                rows += reader.GetInt64(1);
                valueBytes += reader.GetInt64(2);
            }
        }
        return rows == 0
            ? (LeafBatch.Empty, through)
            : (await ReadRowsAsync(connection, first, through!.Value, checked((int)rows), checked((int)valueBytes), cancellationToken), through);
    }

    private static async Task<LeafBatch> ReadRowsAsync(NpgsqlConnection connection, ulong first, ulong through, int count, int valueBytes, CancellationToken cancellationToken)
    {
        var rows = new LeafRow[count];
        var origins = new LeafOrigin[count];
        var keyEnds = new int[count];
        var values = new byte[valueBytes];
        var keys = new MemoryStream();
        int valueEnd = 0;
        int read = 0;
        await using NpgsqlCommand select = connection.Command(
            """
            SELECT l.epoch, l.ordinal, l.structure, l.version, l.item, l.label, l.commitment, l.tag, l.request_id, v.opening, v.key, v.value
            FROM leaf AS l LEFT JOIN value AS v ON v.epoch = l.epoch AND v.ordinal = l.ordinal WHERE l.epoch BETWEEN $1 AND $2 ORDER BY l.epoch, l.ordinal
            """,
            Commands.Bigint(first),
            Commands.Bigint(through));
        await using NpgsqlDataReader reader = await select.ExecuteReaderAsync(cancellationToken);
        ulong epoch = 0;
        int next = 0;
        while (await reader.ReadAsync(cancellationToken))
        {
            // The epoch's row says how many leaves it inserted; ordinals run from 0 in every epoch.
            next = reader.Ulong(0) == epoch ? next : 0;
            epoch = reader.Ulong(0);
            byte[] value = reader.Octets(11);
            if (read == count || reader.GetInt32(1) != next++ || value.Length > valueBytes - valueEnd)
            {
                throw Incomplete(first, through);
            }
            rows[read] = new LeafRow
            {
                Structure = (StructureId)reader.GetInt16(2),
                Epoch = epoch,
                Version = reader.Ulong(3),
                Label = reader.Octets(5),
                Commitment = reader.Octets(6),
                Tag = reader.Octets(7),
                ValueOffset = LeafRow.NoValue,
            };
            if (!reader.IsDBNull(9))
            {
                rows[read].Opening = reader.Octets(9);
                rows[read].ValueOffset = (ulong)valueEnd;
                rows[read].ValueLength = (uint)value.Length;
                value.CopyTo(values, valueEnd);
                valueEnd += value.Length;
                keys.Write(reader.Octets(10));
            }
            keyEnds[read] = checked((int)keys.Length);
            origins[read] = new LeafOrigin(reader.GetGuid(8), reader.GetInt16(4));
            read++;
        }
        return read == count
            ? new LeafBatch(rows, values.AsMemory(0, valueEnd), keys.GetBuffer().AsMemory(0, (int)keys.Length), keyEnds, origins)
            : throw Incomplete(first, through);
    }

    private static StorageCorruptException Incomplete(ulong first, ulong through) =>
        new($"The database does not hold the leaves that were committed in epochs {first} to {through}: restore it.");
}
