using Microsoft.Data.SqlClient;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage.SqlServer.Engine;

namespace Optiks.Storage.SqlServer;

/// <summary>LeafReader reads the leaves of whole epochs into a flat batch. What it reads never changes, but that values are erased: its statements need not see one moment.</summary>
internal static class LeafReader
{
    // Far more epochs than a batch holds are not looked at: an empty one counts too, so that what is read stays bounded.
    private static readonly Statement s_sizes = new("SELECT TOP (4096) Epoch, Leaves, ValueBytes FROM optiks.Epoch WHERE Epoch BETWEEN @first AND @last ORDER BY Epoch");

    private static readonly Statement s_leaves = new(
        """
        SELECT l.Epoch, l.Ordinal, l.Structure, l.Version, l.Item, l.Label, l.Commitment, l.Tag, l.RequestId, v.Opening, v.[Key], v.[Value]
        FROM optiks.Leaf AS l LEFT JOIN optiks.[Value] AS v ON v.Epoch = l.Epoch AND v.Ordinal = l.Ordinal WHERE l.Epoch BETWEEN @first AND @last ORDER BY l.Epoch, l.Ordinal
        """);

    /// <summary>ReadAsync reads epochs from <paramref name="first"/> on, as many as come to about <paramref name="batchRows"/> leaves, at least one, and says which was the last; null when there is none.</summary>
    public static async Task<(LeafBatch Batch, ulong? Through)> ReadAsync(Connection connection, ulong first, ulong last, int batchRows, CancellationToken cancellationToken)
    {
        var range = new LeafRange(first, batchRows);
        await foreach (SqlDataReader reader in connection.RowsAsync(s_sizes, cancellationToken, Parameters.Bigint("@first", first), Parameters.Bigint("@last", last)))
        {
            if (!range.TryAdd(reader.Ulong(0), reader.GetInt64(1), reader.GetInt64(2)))
            {
                break;
            }
        }
        return (range.IsEmpty ? LeafBatch.Empty : await ReadRowsAsync(connection, range, cancellationToken), range.Through);
    }

    private static async Task<LeafBatch> ReadRowsAsync(Connection connection, LeafRange range, CancellationToken cancellationToken)
    {
        LeafBatchBuilder batch = range.Builder();
        await foreach (SqlDataReader reader in connection.RowsAsync(s_leaves, cancellationToken, Parameters.Bigint("@first", range.First), Parameters.Bigint("@last", range.Through!.Value)))
        {
            ref LeafRow row = ref batch.Add(reader.Ulong(0), reader.GetInt32(1), (StructureId)reader.GetByte(2), reader.Ulong(3), new LeafOrigin(reader.RequestId(8), reader.GetByte(4)));
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
