using Optiks.Storage.Driver;
using Optiks.Storage.SqlServer.Engine;

namespace Optiks.Storage.SqlServer;

/// <summary>PendingRows reads and deletes pending rows by lists.</summary>
internal static class PendingRows
{
    // What is sent beyond the last row that is wanted, at most. Values have up to 64 KiB.
    private const int PageRows = 2048;

    private const string Following =
        """
        SELECT TOP (@rows) p.Seq, p.Item, p.RequestId, p.BodyHash, p.Structure, p.[Key], p.[Value], p.ExpectedPeriod, p.ExpectedVersion
        FROM optiks.Pending AS p WHERE p.Seq >= @seq AND (p.Seq > @seq OR p.Item > @item)
        """;

    private static readonly Statement s_page = new($"{Following} ORDER BY p.Seq, p.Item");

    // What is underway is not sent. Its numbers are, once for all pages: into a table of the session.
    private static readonly Statement s_pageOfOthers = new(
        $"{Following} AND NOT EXISTS (SELECT 1 FROM #Underway AS u WHERE u.Seq = p.Seq) ORDER BY p.Seq, p.Item {Statement.ByIndex}");

    private static readonly Statement s_stage = new("DROP TABLE IF EXISTS #Underway; CREATE TABLE #Underway (Seq bigint NOT NULL PRIMARY KEY)");

    private static readonly Statement s_stageUnderway = new("INSERT INTO #Underway (Seq) SELECT Seq FROM @underway");

    private static readonly Statement s_delete = new(
        $"""
        DELETE p FROM @decided AS d JOIN optiks.Pending AS p ON p.Seq = d.Seq AND p.Item = d.Item AND p.RequestId = d.RequestId {Statement.ByIndex}
        """);

    /// <summary>
    /// ReadAsync is <see cref="ISession.ReadPendingAsync"/>. Rows are added at the end, in the order of their numbers, and only the task that reads them deletes any: pages need not see one moment.
    /// </summary>
    public static async Task ReadAsync(Connection connection, PendingSelection selection, CancellationToken cancellationToken)
    {
        Statement page = await StageAsync(connection, selection.Underway.ToArray(), cancellationToken);
        int count = PageRows;
        while (count == PageRows && !selection.IsFull)
        {
            await using IRows rows = await connection.QueryAsync(
                page, cancellationToken, Parameter.Of("rows", PageRows), Parameter.Of("seq", selection.After.Sequence), Parameter.Of("item", selection.After.Item));
            for (count = 0; await rows.ReadAsync(cancellationToken) && selection.TryAdd(StoredRows.PendingRow(rows)); count++)
            {
            }
        }
    }

    /// <summary>DeleteAsync deletes the rows of outcomes, and returns how many there were.</summary>
    public static async Task<int> DeleteAsync(Connection connection, IReadOnlyList<Outcome> outcomes, CancellationToken cancellationToken)
    {
        int deleted = 0;
        foreach (Outcome[] chunk in connection.Chunks(outcomes))
        {
            deleted += await connection.ChangeAsync(s_delete, cancellationToken, Lists.Decided.Parameter("@decided", chunk));
        }
        return deleted;
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
}
