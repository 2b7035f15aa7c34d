using Microsoft.Data.SqlClient;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage.SqlServer.Engine;

namespace Optiks.Storage.SqlServer;

/// <summary>LeafReader reads the leaves of whole epochs into a flat batch. What it reads never changes, but that values are erased: its statements need not see one moment.</summary>
internal static class LeafReader
{
    private const string Trees = "SELECT l.Epoch, l.Ordinal, l.Structure, l.Version, l.Label, l.Commitment, l.Tag";
    private const string Values = ", v.Opening, v.[Value]";
    private const string Origins = ", l.Item, l.RequestId, v.[Key]";
    private const string FromLeaf = " FROM optiks.Leaf AS l";
    private const string JoinValue = " LEFT JOIN optiks.[Value] AS v ON v.Epoch = l.Epoch AND v.Ordinal = l.Ordinal";
    private const string InOrder = " WHERE l.Epoch BETWEEN @first AND @last ORDER BY l.Epoch, l.Ordinal";

    // Far more epochs than a batch holds are not looked at: an empty one counts too, so that what is read stays bounded.
    private static readonly Statement s_sizes = new("SELECT TOP (4096) Epoch, Leaves, ValueBytes FROM optiks.Epoch WHERE Epoch BETWEEN @first AND @last ORDER BY Epoch");

    private static readonly Statement s_trees = new(Trees + FromLeaf + InOrder);
    private static readonly Statement s_values = new(Trees + Values + FromLeaf + JoinValue + InOrder);
    private static readonly Statement s_all = new(Trees + Values + Origins + FromLeaf + JoinValue + InOrder);

    /// <summary>ReadAsync reads epochs from <paramref name="first"/> on, as many as come to about <paramref name="batchRows"/> leaves, at least one, and says which was the last; null when there is none.</summary>
    public static async Task<(LeafBatch Batch, ulong? Through)> ReadAsync(Connection connection, ulong first, ulong last, int batchRows, LeafColumns columns, CancellationToken cancellationToken)
    {
        var range = new LeafRange(first, batchRows, columns);
        await foreach (SqlDataReader reader in connection.RowsAsync(s_sizes, cancellationToken, Parameters.Bigint("@first", first), Parameters.Bigint("@last", last)))
        {
            if (!range.TryAdd(reader.Ulong(0), reader.GetInt64(1), reader.GetInt64(2)))
            {
                break;
            }
        }
        return (range.IsEmpty ? LeafBatch.Empty : await ReadRowsAsync(connection, range, columns, cancellationToken), range.Through);
    }

    private static async Task<LeafBatch> ReadRowsAsync(Connection connection, LeafRange range, LeafColumns columns, CancellationToken cancellationToken)
    {
        LeafBatchBuilder batch = range.Builder();
        Statement select = columns switch { LeafColumns.Trees => s_trees, LeafColumns.Values => s_values, _ => s_all };
        await foreach (SqlDataReader reader in connection.RowsAsync(select, cancellationToken, Parameters.Bigint("@first", range.First), Parameters.Bigint("@last", range.Through!.Value)))
        {
            ref LeafRow row = ref batch.Add(reader.Ulong(0), reader.GetInt32(1), (StructureId)reader.GetByte(2), reader.Ulong(3));
            row.Label = reader.Octets(4);
            row.Commitment = reader.Octets(5);
            row.Tag = reader.Octets(6);
            bool hasValue = columns >= LeafColumns.Values && !reader.IsDBNull(7);
            if (hasValue)
            {
                batch.SetValue(reader.Octets(7), reader.Octets(8));
            }
            if (columns == LeafColumns.All)
            {
                batch.SetOrigin(new LeafOrigin(reader.RequestId(10), reader.GetByte(9)), hasValue ? reader.Octets(11) : []);
            }
        }
        return batch.Complete();
    }
}
