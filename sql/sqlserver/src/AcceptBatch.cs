using Microsoft.Data.SqlClient;
using Optiks.Storage.SqlServer.Engine;

namespace Optiks.Storage.SqlServer;

/// <summary>
/// Stores a group of requests in one round trip, or reads the state of the database that prevents this. The transaction begins and ends
/// inside one batch of statements, and the server sends nothing to the client before the transaction ends. So a client that is paused or
/// does not read its results holds no lock. This matters because SQL Server has no time limit for an idle transaction.
/// </summary>
internal static class AcceptBatch
{
    // The known ids must be read last. If the count of pending rows includes the updates of a request, the later read then also finds that
    // request's id. So no known request is refused because of its own updates.
    private const string State =
        $"""
        SELECT SYSUTCDATETIME();
        {SqlServerStatements.Head};
        SELECT k.Number, COUNT_BIG(*)
        FROM @keys AS k JOIN optiks.Pending AS p ON p.Structure = k.Structure AND p.[Key] = k.[Key] AND DATALENGTH(p.[Key]) = DATALENGTH(k.[Key])
        GROUP BY k.Number {Statement.ByIndex};
        SELECT r.RequestId, r.BodyHash FROM @requests AS q JOIN optiks.Request AS r ON r.RequestId = q.RequestId {Statement.ByIndex};
        """;

    // The batch locks the row of numbers first, so that each later statement sees everything that was committed before the batch got the
    // lock, and so that the clock is read after the wait.
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

    // The variant of the batch for lists that are too long for one parameter, which are therefore in temporary tables of the session.
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

    private static readonly Statement s_stageRequests = new(
        "INSERT INTO #Requests (Seq, RequestId, BodyHash) SELECT Seq, RequestId, BodyHash FROM @list");

    private static readonly Statement s_stageKeys = new(
        "INSERT INTO #Keys (Number, Structure, [Key], Occurrences) SELECT Number, Structure, [Key], Occurrences FROM @list");

    private static readonly Statement s_stageItems = new(
        """
        INSERT INTO #Items (Seq, Item, Structure, ExpectedPeriod, ExpectedVersion, [Key], [Value])
        SELECT Seq, Item, Structure, ExpectedPeriod, ExpectedVersion, [Key], [Value] FROM @list
        """);

    /// <summary>
    /// Reads the state of the database on which the decision about a group depends. Only one call at a time may use a connection, because
    /// the calls share the session's temporary tables.
    /// </summary>
    public static async Task<AcceptState> ReadStateAsync(Connection connection, AcceptGroup group, CancellationToken cancellationToken)
    {
        IReadOnlyList<(UpdateKey Key, int Occurrences)> keys = group.Keys();
        bool isStaged = await TryStageAsync(connection, group, keys, cancellationToken);
        await using Rows rows = await connection.QueryAsync(
            isStaged ? s_stateStaged : s_state, cancellationToken, isStaged ? [] : CreateLists(group, keys)[..2]);
        return await rows.ReadAcceptStateAsync(keys, connection.Database.Location, cancellationToken);
    }

    /// <summary>
    /// Stores a plain group and returns null. If the group cannot be stored as a whole, stores nothing and returns the state of the
    /// database on which the decision about the group depends.
    /// </summary>
    public static async Task<AcceptState?> StoreAsync(
        Connection connection, AcceptGroup group, HeadFloor floor, CancellationToken cancellationToken)
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
        // From here on, the server completes the batch even if this process dies.
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
        [Lists.Requests.Parameter("@requests", group.Requests.Index()), Lists.Keys.Parameter("@keys", keys.Index()),
            Lists.Items.Parameter("@items", group.Items)];

    // Copies the group's lists into temporary tables of the session. If each list fits into one parameter, copies nothing and returns
    // false.
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
