using Microsoft.Data.SqlClient;
using Optiks.Storage.SqlServer.Engine;

namespace Optiks.Storage.SqlServer;

/// <summary>EpochReader reads back what an epoch's transaction wrote.</summary>
internal static class EpochReader
{
    private static readonly Statement s_hasRecord = new("SELECT 1 FROM optiks.Epoch WHERE Epoch = @epoch AND RecordHash = @hash AND DATALENGTH(RecordHash) = DATALENGTH(@hash)");

    private static readonly Statement s_epoch = new("SELECT Record, RecordHash, [Checkpoint] FROM optiks.Epoch WHERE Epoch = @epoch");

    // From the leaves, as outcomes have no index by epoch.
    private static readonly Statement s_published = new(
        $"""
        SELECT r.Seq, r.BodyHash FROM optiks.Leaf AS l LEFT JOIN optiks.Request AS r ON r.RequestId = l.RequestId WHERE l.Epoch = @epoch ORDER BY l.Ordinal {Statement.ByIndex}
        """);

    private static readonly Statement s_refused = new(
        $"""
        SELECT o.Seq, o.Item, r.RequestId, o.Refusal, o.RefusedItem, o.CurrentPeriod, o.CurrentVersion, r.BodyHash
        FROM optiks.Outcome AS o JOIN optiks.Request AS r ON r.Seq = o.Seq WHERE o.Epoch = @epoch AND o.Refusal IS NOT NULL ORDER BY o.Seq, o.Item {Statement.ByIndex}
        """);

    /// <summary>HasRecordAsync says whether an epoch is stored with exactly this record.</summary>
    public static async Task<bool> HasRecordAsync(Connection connection, EpochRow epoch, CancellationToken cancellationToken) =>
        await connection.ScalarAsync(s_hasRecord, cancellationToken, Parameters.Bigint("@epoch", epoch.Epoch), Parameters.Binary("@hash", epoch.RecordHash)) is not null;

    /// <summary>ReadAsync reads a committed epoch whole.</summary>
    public static async Task<EpochContent> ReadAsync(Connection connection, ulong epoch, CancellationToken cancellationToken)
    {
        EpochRow? row = null;
        await foreach (SqlDataReader reader in connection.RowsAsync(s_epoch, cancellationToken, Parameters.Bigint("@epoch", epoch)))
        {
            row = new EpochRow(epoch, reader.Octets(0), reader.Octets(1), reader.Octets(2));
        }
        if (row is null)
        {
            throw new StorageCorruptException($"The database lacks epoch {epoch}, which its head names: restore it.");
        }
        LeafBatch leaves = (await LeafReader.ReadAsync(connection, epoch, epoch, batchRows: 1, cancellationToken)).Batch;
        return new EpochContent(row, leaves, await ReadOutcomesAsync(connection, epoch, leaves, cancellationToken));
    }

    private static async Task<List<Outcome>> ReadOutcomesAsync(Connection connection, ulong epoch, LeafBatch leaves, CancellationToken cancellationToken)
    {
        var outcomes = new List<Outcome>();
        LeafOrigin[] origins = leaves.Origins.ToArray();
        await foreach (SqlDataReader reader in connection.RowsAsync(s_published, cancellationToken, Parameters.Bigint("@epoch", epoch)))
        {
            if (reader.IsDBNull(0) || outcomes.Count == origins.Length)
            {
                throw new StorageCorruptException($"The database lacks a request of the unpublished epoch {epoch}: restore it.");
            }
            LeafOrigin origin = origins[outcomes.Count];
            outcomes.Add(new Outcome(origin.RequestId, reader.GetInt64(0), origin.Item, outcomes.Count, null) { BodyHash = reader.Octets(1) });
        }
        await foreach (SqlDataReader reader in connection.RowsAsync(s_refused, cancellationToken, Parameters.Bigint("@epoch", epoch)))
        {
            var refusal = new Refusal((RefusalReason)reader.GetByte(3), reader.GetByte(4), new ExpectedVersion(reader.Ulong(5), reader.Ulong(6)));
            outcomes.Add(new Outcome(reader.RequestId(2), reader.GetInt64(0), reader.GetByte(1), null, refusal) { BodyHash = reader.Octets(7) });
        }
        return outcomes;
    }
}
