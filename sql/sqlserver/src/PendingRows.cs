using Microsoft.Data.SqlClient;
using Optiks.Storage.SqlServer.Engine;

namespace Optiks.Storage.SqlServer;

/// <summary>Reads pending rows. When an epoch is finished, deletes the pending rows that the epoch decided, whose keys it sends to the
/// server as lists.</summary>
internal static class PendingRows
{
    // The number of pending rows that one query returns, so that the server sends at most about this many rows that the selection does not
    // need. The number is limited because values have up to 64 KiB.
    private const int PageRows = 2048;

    private const string Following =
        """
        SELECT TOP (@rows) p.Seq, p.Item, p.RequestId, p.BodyHash, p.Structure, p.[Key], p.[Value], p.ExpectedPeriod, p.ExpectedVersion
        FROM optiks.Pending AS p WHERE p.Seq >= @seq AND (p.Seq > @seq OR p.Item > @item)
        """;

    private const string Delete =
        $"""
        DELETE p FROM @decided AS d JOIN optiks.Pending AS p ON p.Seq = d.Seq AND p.Item = d.Item AND p.RequestId = d.RequestId {Statement.ByIndex}
        """;

    private static readonly Statement s_page = new($"{Following} ORDER BY p.Seq, p.Item");

    // This statement omits the rows of an epoch that is not committed yet. The store sends the numbers of those rows once for all pages,
    // into a temporary table of the session.
    private static readonly Statement s_pageOfOthers = new(
        $"{Following} AND NOT EXISTS (SELECT 1 FROM #Underway AS u WHERE u.Seq = p.Seq) ORDER BY p.Seq, p.Item {Statement.ByIndex}");

    private static readonly Statement s_stage = new(
        "DROP TABLE IF EXISTS #Underway; CREATE TABLE #Underway (Seq bigint NOT NULL PRIMARY KEY)");

    private static readonly Statement s_stageUnderway = new("INSERT INTO #Underway (Seq) SELECT Seq FROM @list");

    private static readonly Statement s_delete = new(Delete);

    private static readonly Statement s_finish = new(
        $"""
        DECLARE @epochs int, @pending int;
        {SqlServerStatements.InsertEpoch};
        SELECT @epochs = @@ROWCOUNT;
        {Delete};
        SELECT @pending = @@ROWCOUNT;
        {SqlServerStatements.MoveHead};
        SELECT @epochs, @pending, @@ROWCOUNT
        """);

    // The statement that finishes an epoch without pending rows. It has no list, because an empty list cannot be sent as a parameter.
    private static readonly Statement s_finishHeartbeat = new(
        $"""
        DECLARE @epochs int;
        {SqlServerStatements.InsertEpoch};
        SELECT @epochs = @@ROWCOUNT;
        {SqlServerStatements.MoveHead};
        SELECT @epochs, 0, @@ROWCOUNT
        """);

    /// <summary>
    /// Implements <see cref="ISession.ReadPendingAsync"/>. The pages may see different points in time, because rows are added only at the
    /// end, in the order of their numbers, and only the update-task, which reads them here, deletes rows.
    /// </summary>
    public static async Task ReadAsync(Connection connection, PendingSelection selection, CancellationToken cancellationToken)
    {
        Statement page = await StageAsync(connection, selection.Underway.ToArray(), cancellationToken);
        int count = PageRows;
        while (count == PageRows && !selection.IsFull)
        {
            await using IRows rows = await connection.QueryAsync(
                page, cancellationToken, Parameter.Create("rows", PageRows), Parameter.Create("seq", selection.After.Sequence),
                Parameter.Create("item", selection.After.Item));
            for (count = 0; await rows.ReadAsync(cancellationToken) && selection.TryAdd(StoredRows.PendingRow(rows)); count++)
            {
            }
        }
    }

    /// <summary>Implements <see cref="ISession.FinishEpochAsync"/>.</summary>
    public static async Task<(int Epochs, int Pending, int Heads)> FinishEpochAsync(
        Connection connection, Parameter[] epoch, IReadOnlyList<Outcome> outcomes, Parameter[] head, CancellationToken cancellationToken)
    {
        int deleted = 0;
        SqlParameter[] last = [];
        foreach (Outcome[] chunk in connection.Chunks(outcomes))
        {
            deleted += last.Length > 0 ? await connection.ChangeAsync(s_delete, cancellationToken, last) : 0;
            last = [Lists.Decided.Parameter("@decided", chunk)];
        }
        // Both `epoch` and `head` contain parameters for the epoch's number and hash, and this code drops the duplicate parameters.
        SqlParameter[] parameters = Parameters.Create([.. epoch.UnionBy(head, parameter => parameter.Name)]);
        await using Rows rows = await connection.QueryAsync(
            last.Length > 0 ? s_finish : s_finishHeartbeat, cancellationToken, [.. parameters, .. last]);
        _ = await rows.ReadAsync(cancellationToken);
        return (rows.GetInt32(0), deleted + rows.GetInt32(1), rows.GetInt32(2));
    }

    // Prepares the session for reading pages, and returns the statement that reads a page.
    private static async Task<Statement> StageAsync(Connection connection, long[] underway, CancellationToken cancellationToken)
    {
        if (underway.Length == 0)
        {
            return s_page;
        }
        await connection.ExecuteAsync(s_stage, cancellationToken);
        await connection.StageAsync(s_stageUnderway, Lists.Sequences, underway, cancellationToken);
        return s_pageOfOthers;
    }
}
