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

    private const string Columns = "SELECT TOP (@rows) p.Seq, p.Item, r.RequestId, r.BodyHash, p.Structure, p.[Key], p.[Value], p.ExpectedPeriod, p.ExpectedVersion";

    private const string Rows = "FROM optiks.Pending AS p LEFT JOIN optiks.Request AS r ON r.Seq = p.Seq WHERE p.Seq >= @seq AND (p.Seq > @seq OR p.Item > @item)";

    private static readonly Statement s_page = new($"{Columns}\n{Rows}\nORDER BY p.Seq, p.Item {Statement.ByIndex}");

    // What is underway is not sent. Its numbers are, once for all pages: into a table of the session.
    private static readonly Statement s_pageOfOthers = new(
        $"{Columns}\n{Rows}\nAND NOT EXISTS (SELECT 1 FROM #Underway AS u WHERE u.Seq = p.Seq)\nORDER BY p.Seq, p.Item {Statement.ByIndex}");

    private static readonly Statement s_stage = new("DROP TABLE IF EXISTS #Underway; CREATE TABLE #Underway (Seq bigint NOT NULL PRIMARY KEY)");

    private static readonly Statement s_stageUnderway = new("INSERT INTO #Underway (Seq) SELECT Seq FROM @underway");

    /// <summary>ReadAsync shows the selection the rows that it was not shown yet, and gives it back.</summary>
    public static async Task<PendingSelection> ReadAsync(Connection connection, PendingSelection selection, CancellationToken cancellationToken)
    {
        Statement page = await StageAsync(connection, selection.Underway.ToArray(), cancellationToken);
        int rows = PageRows;
        while (rows == PageRows && !selection.IsFull)
        {
            rows = 0;
            await foreach (SqlDataReader reader in connection.RowsAsync(
                page, cancellationToken, Parameters.Int("@rows", PageRows), Parameters.Bigint("@seq", selection.After.Sequence), Parameters.Int("@item", selection.After.Item)))
            {
                if (!selection.TryAdd(Read(reader)))
                {
                    return selection;
                }
                rows++;
            }
        }
        return selection;
    }

    // Gives the statement of a page.
    private static async Task<Statement> StageAsync(Connection connection, long[] underway, CancellationToken cancellationToken)
    {
        if (underway.Length == 0)
        {
            return s_page;
        }
        await connection.ExecuteAsync(s_stage, cancellationToken);
        foreach (long[] chunk in connection.Chunks(underway))
        {
            await connection.ExecuteAsync(s_stageUnderway, cancellationToken, Lists.Sequences.Parameter("@underway", chunk));
        }
        return s_pageOfOthers;
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
