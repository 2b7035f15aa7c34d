using Microsoft.Data.SqlClient;
using Optiks.Protocol;
using Optiks.Storage.SqlServer.Engine;

namespace Optiks.Storage.SqlServer;

/// <summary>
/// PendingReader reads pending rows in order of acceptance, as far as a selection wants them. Rows are added at the end, in the order of their numbers, and only the task that reads them deletes any:
/// pages need not see one moment.
/// </summary>
internal static class PendingReader
{
    // What is sent beyond the last row that is wanted, at most. Values have up to 64 KiB.
    private const int PageRows = 2048;

    private static readonly Statement s_page = new(
        """
        SELECT TOP (@rows) p.Seq, p.Item, r.RequestId, r.BodyHash, p.Structure, p.[Key], p.[Value], p.ExpectedPeriod, p.ExpectedVersion
        FROM optiks.Pending AS p LEFT JOIN optiks.Request AS r ON r.Seq = p.Seq
        WHERE p.Seq >= @seq AND (p.Seq > @seq OR p.Item > @item) AND NOT EXISTS (SELECT 1 FROM @underway AS u WHERE u.Seq = p.Seq)
        ORDER BY p.Seq, p.Item
        """);

    /// <summary>ReadAsync shows the selection the rows that it was not shown yet, and gives it back.</summary>
    public static async Task<PendingSelection> ReadAsync(Connection connection, PendingSelection selection, CancellationToken cancellationToken)
    {
        long[] skipped = selection.Underway.ToArray();
        (long Sequence, int Item) after = selection.After;
        int rows = PageRows;
        while (rows == PageRows && !selection.IsFull)
        {
            // What is underway is not sent; where one parameter does not hold the whole list, the rest of it is passed over here. A list has at least one row: no request has the number 0.
            long[] unsent = connection.Chunks(skipped.Prepend(0)).First();
            rows = 0;
            await foreach (SqlDataReader reader in connection.RowsAsync(
                s_page,
                cancellationToken,
                Parameters.Int("@rows", PageRows),
                Parameters.Bigint("@seq", after.Sequence),
                Parameters.Int("@item", after.Item),
                Lists.Sequences.Parameter("@underway", unsent)))
            {
                PendingRow row = Read(reader);
                if (Array.BinarySearch(skipped, row.Sequence) < 0 && !selection.TryAdd(row))
                {
                    return selection;
                }
                after = (row.Sequence, row.Item);
                rows++;
            }
            skipped = Array.FindAll(skipped, sequence => sequence >= after.Sequence);
        }
        return selection;
    }

    private static PendingRow Read(SqlDataReader reader)
    {
        ExpectedVersion? expected = reader.IsDBNull(7) ? null : new ExpectedVersion(reader.Ulong(7), reader.Ulong(8));
        return new PendingRow(
            reader.GetInt64(0),
            reader.GetByte(1),
            reader.IsDBNull(2) ? null : reader.RequestId(2),
            reader.Octets(3),
            new AcceptItem((StructureId)reader.GetByte(4), reader.Octets(5), reader.Octets(6), expected));
    }
}
