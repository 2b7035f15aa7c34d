using Microsoft.Data.SqlClient;
using Optiks.Storage.Driver;
using Optiks.Storage.SqlServer.Engine;

namespace Optiks.Storage.SqlServer;

/// <summary>
/// Stores a group of requests in one round trip, or returns the facts that prevent it. The transaction begins and ends inside the batch,
/// and the server sends nothing to the client before the transaction ends. So a client that is paused or does not read holds no lock. This
/// matters because SQL Server has no time limit for an idle transaction.
/// </summary>
internal static class AcceptBatch
{
    // Known ids are read last. If one of the earlier counts includes an update of a request, then the later read also finds that request's
    // id. So no known request is refused because of its own updates.
    private const string State =
        $"""
        SELECT SYSUTCDATETIME();
        {SqlServerStatements.Head};
        SELECT k.Number, COUNT_BIG(*)
        FROM @keys AS k JOIN optiks.Pending AS p ON p.Structure = k.Structure AND p.[Key] = k.[Key] AND DATALENGTH(p.[Key]) = DATALENGTH(k.[Key])
        GROUP BY k.Number {Statement.ByIndex};
        SELECT r.RequestId, r.BodyHash FROM @requests AS q JOIN optiks.Request AS r ON r.RequestId = q.RequestId {Statement.ByIndex};
        """;

    // The row of numbers is locked first, so that each later statement sees everything that was committed before, and a time after the
    // wait.
    private const string Store =
        $"""
        DECLARE @obstacles bigint;
        BEGIN TRANSACTION;
        {RequestNumbers.Draw}
        SELECT @obstacles = 1 - COUNT_BIG(*) FROM optiks.Head AS h
        WHERE @earliest >= DATEADD(second, -@behind, SYSUTCDATETIME()) AND @latest <= DATEADD(second, @ahead, SYSUTCDATETIME())
        AND COALESCE(h.Epoch + 1, 0) >= @epochs
        AND (@epoch IS NULL OR h.Epoch IS NULL OR h.Epoch <> @epoch OR (h.RecordHash = @hash AND DATALENGTH(h.RecordHash) = DATALENGTH(@hash)));
        IF @obstacles = 0
          SELECT @obstacles = COUNT_BIG(*) FROM @requests AS q JOIN optiks.Request AS r ON r.RequestId = q.RequestId {Statement.ByIndex};
        IF @obstacles = 0
          SELECT @obstacles = COUNT_BIG(*) FROM (
            SELECT k.Number
            FROM @keys AS k JOIN optiks.Pending AS p ON p.Structure = k.Structure AND p.[Key] = k.[Key] AND DATALENGTH(p.[Key]) = DATALENGTH(k.[Key])
            GROUP BY k.Number, k.Occurrences HAVING COUNT_BIG(*) + k.Occurrences > @perKey
          ) AS f {Statement.ByIndex};
        IF @obstacles = 0
        BEGIN
          INSERT INTO optiks.Request (RequestId, Seq, BodyHash) SELECT RequestId, @last + Seq, BodyHash FROM @requests;
          INSERT INTO optiks.Pending (Seq, Item, Structure, ExpectedPeriod, ExpectedVersion, [Key], [Value], RequestId, BodyHash)
          SELECT @last + i.Seq, i.Item, i.Structure, NULLIF(i.ExpectedPeriod, -1), NULLIF(i.ExpectedVersion, -1), i.[Key], i.[Value], q.RequestId, q.BodyHash
          FROM @items AS i JOIN @requests AS q ON q.Seq = i.Seq {Statement.ByIndex};
          COMMIT TRANSACTION;
        END
        ELSE
          ROLLBACK TRANSACTION;
        SELECT @obstacles;
        """;

    private const string StoreOrState = $"{Store}\nIF @obstacles <> 0\nBEGIN\n{State}\nEND";

    // The statement for lists that are too long for one parameter and are therefore in temporary tables of the session.
    private const string Staged =
        """
        DECLARE @requests optiks.RequestList, @keys optiks.KeyList, @items optiks.PendingList;
        INSERT INTO @requests (Seq, RequestId, BodyHash) SELECT Seq, RequestId, BodyHash FROM #Requests;
        INSERT INTO @keys (Number, Structure, [Key], Occurrences) SELECT Number, Structure, [Key], Occurrences FROM #Keys;
        INSERT INTO @items (Seq, Item, Structure, ExpectedPeriod, ExpectedVersion, [Key], [Value])
        SELECT Seq, Item, Structure, ExpectedPeriod, ExpectedVersion, [Key], [Value] FROM #Items;
        """;

    private static readonly Statement s_state = new(State);

    private static readonly Statement s_stateStaged = new($"{Staged}\n{State}");

    private static readonly Statement s_store = new(StoreOrState);

    private static readonly Statement s_storeStaged = new($"{Staged}\n{StoreOrState}");

    private static readonly Statement s_stage = new(
        """
        DROP TABLE IF EXISTS #Requests;
        DROP TABLE IF EXISTS #Keys;
        DROP TABLE IF EXISTS #Items;
        CREATE TABLE #Requests (Seq bigint NOT NULL PRIMARY KEY, RequestId binary(16) NOT NULL, BodyHash binary(32) NOT NULL);
        CREATE TABLE #Keys (Number int NOT NULL PRIMARY KEY, Structure tinyint NOT NULL, [Key] varbinary(255) NOT NULL, Occurrences int NOT NULL);
        CREATE TABLE #Items (
          Seq bigint NOT NULL, Item tinyint NOT NULL, Structure tinyint NOT NULL, ExpectedPeriod bigint NOT NULL, ExpectedVersion bigint NOT NULL,
          [Key] varbinary(255) NOT NULL, [Value] varbinary(max) NOT NULL, PRIMARY KEY (Seq, Item)
        );
        """);

    private static readonly Statement s_stageRequests = new("INSERT INTO #Requests (Seq, RequestId, BodyHash) SELECT Seq, RequestId, BodyHash FROM @list");

    private static readonly Statement s_stageKeys = new("INSERT INTO #Keys (Number, Structure, [Key], Occurrences) SELECT Number, Structure, [Key], Occurrences FROM @list");

    private static readonly Statement s_stageItems = new(
        """
        INSERT INTO #Items (Seq, Item, Structure, ExpectedPeriod, ExpectedVersion, [Key], [Value])
        SELECT Seq, Item, Structure, ExpectedPeriod, ExpectedVersion, [Key], [Value] FROM @list
        """);

    /// <summary>
    /// Reads the facts on which the decision about a group depends. A connection allows only one call at a time, because the calls share
    /// the session's tables of lists.
    /// </summary>
    public static async Task<AcceptState> ReadStateAsync(Connection connection, AcceptGroup group, CancellationToken cancellationToken)
    {
        IReadOnlyList<(UpdateKey Key, int Occurrences)> keys = group.Keys();
        bool isStaged = await TryStageAsync(connection, group, keys, cancellationToken);
        await using Rows rows = await connection.QueryAsync(isStaged ? s_stateStaged : s_state, cancellationToken, isStaged ? [] : CreateLists(group, keys)[..2]);
        return await rows.ReadAcceptStateAsync(keys, connection.Database.Location, cancellationToken);
    }

    /// <summary>
    /// Stores a plain group and returns null, or stores nothing and returns the facts on which the decision about the group depends.
    /// </summary>
    public static async Task<AcceptState?> StoreAsync(Connection connection, AcceptGroup group, HeadFloor floor, CancellationToken cancellationToken)
    {
        IReadOnlyList<(UpdateKey Key, int Occurrences)> keys = group.Keys();
        bool isStaged = await TryStageAsync(connection, group, keys, cancellationToken);
        Task<Rows> executing = connection.QueryAsync(
            isStaged ? s_storeStaged : s_store,
            cancellationToken,
            [
                Parameters.Int("@count", group.Requests.Count),
                Parameters.Int("@perKey", Limits.PendingPerKey),
                Parameters.Int("@behind", (int)Limits.RequestIdBehind.TotalSeconds),
                Parameters.Int("@ahead", (int)Limits.RequestIdAhead.TotalSeconds),
                Parameters.Time("@earliest", group.Earliest),
                Parameters.Time("@latest", group.Latest),
                Parameters.Bigint("@epochs", floor.Epochs),
                Parameters.NullableBigint("@epoch", floor.Epoch),
                Parameters.Binary("@hash", floor.RecordHash),
                .. isStaged ? [] : CreateLists(group, keys),
            ]);
        // From here on, the server completes the batch, whatever happens to this process.
        FailPoints.Hit(FailPoints.Draw);
        await using Rows rows = await executing;
        _ = await rows.ReadAsync(cancellationToken);
        if (rows.GetInt64(0) == 0)
        {
            return null;
        }
        _ = await rows.Reader.NextResultAsync(cancellationToken);
        return await rows.ReadAcceptStateAsync(keys, connection.Database.Location, cancellationToken);
    }

    private static SqlParameter[] CreateLists(AcceptGroup group, IReadOnlyList<(UpdateKey Key, int Occurrences)> keys) =>
        [Lists.Requests.Parameter("@requests", group.Requests.Index()), Lists.Keys.Parameter("@keys", keys.Index()), Lists.Items.Parameter("@items", group.Items)];

    // Copies the lists into tables of the session. Returns false, with nothing copied, when each list fits into one parameter.
    private static async Task<bool> TryStageAsync(
        Connection connection, AcceptGroup group, IReadOnlyList<(UpdateKey Key, int Occurrences)> keys, CancellationToken cancellationToken)
    {
        if (Math.Max(group.Requests.Count, group.Items.Count) <= connection.MaxListRows)
        {
            return false;
        }
        await connection.ExecuteAsync(s_stage, cancellationToken);
        await connection.StageAsync(s_stageRequests, Lists.Requests, group.Requests.Index(), cancellationToken);
        await connection.StageAsync(s_stageKeys, Lists.Keys, keys.Index(), cancellationToken);
        await connection.StageAsync(s_stageItems, Lists.Items, group.Items, cancellationToken);
        return true;
    }
}
