using Optiks.Storage.SqlServer.Engine;

namespace Optiks.Storage.SqlServer;

/// <summary>
/// Provides the SQL of <see cref="Statements"/> for SQL Server. No statement relies on a lock hint (<see cref="Statement"/>). To lock a
/// row, a statement updates it without changing it.
/// </summary>
internal static class SqlServerStatements
{
    /// <summary>Reads the head row. Other classes also use this text in their batches.</summary>
    public const string Head = "SELECT Epoch, RecordHash, PublishedEpoch, Fence, Holder, LeaseEnd FROM optiks.Head";

    /// <summary>
    /// Locks the head row, no matter who holds the lease, so that no other transaction can write an epoch meanwhile. Later statements see
    /// the rows and the time after the wait for the lock.
    /// </summary>
    public const string LockHead = "UPDATE optiks.Head SET Fence = Fence";

    /// <summary>Adds an epoch's row. Batches that finish an epoch contain this text and <see cref="MoveHead"/>.</summary>
    public const string InsertEpoch =
        "INSERT INTO optiks.Epoch (Epoch, Leaves, ValueBytes, RecordHash, Record) VALUES (@epoch, @leaves, @valueBytes, @hash, @record)";

    /// <summary>Moves the head row to an epoch. Batches that finish an epoch contain this text and <see cref="InsertEpoch"/>.</summary>
    public const string MoveHead = $"UPDATE optiks.Head SET Epoch = @epoch, RecordHash = @hash WHERE {HeadCondition}";

    private const string HoldLease = $"{LockHead} WHERE Fence = @fence AND Holder = @holder";

    private const string IsFree = "(Holder = N'' OR Holder = @holder OR LeaseEnd <= SYSUTCDATETIME())";

    private const string HeadCondition =
        """
        Epoch = @epoch - 1 AND PublishedEpoch = @epoch - 1 AND RecordHash = @previous AND DATALENGTH(RecordHash) = DATALENGTH(@previous) AND Fence = @fence AND Holder = @holder
        """;

    private const string Trees = "SELECT l.Epoch * 268435456 + l.Ordinal, l.Structure, l.Version, l.Label, l.Commitment, l.Tag";
    private const string Values = ", v.Opening, v.[Value]";
    private const string FromLeaf = " FROM optiks.Leaf AS l";
    private const string JoinValue = " LEFT JOIN optiks.[Value] AS v ON v.Epoch = l.Epoch AND v.Ordinal = l.Ordinal";

    // A join that looks up values only for leaves of structure 2 (devices).
    private const string ApplyList =
        " OUTER APPLY (SELECT Opening, [Value] FROM optiks.[Value] WHERE l.Structure = 2 AND Epoch = l.Epoch AND Ordinal = l.Ordinal) AS v";
    private const string OfEpochs = " WHERE l.Epoch BETWEEN @first AND @last ORDER BY l.Epoch, l.Ordinal";

    // The end of statements that read only leaves of structures 1 (usernames) and 4 (decommissioned).
    private const string OfNames = " WHERE l.Structure IN (1, 4) AND l.Epoch BETWEEN @first AND @last ORDER BY l.Epoch, l.Ordinal";

    private const string CopyColumns = "c.Number, c.Structure, c.Version, c.SourceEpoch, c.SourceOrdinal, c.Label, c.Commitment, c.Tag";
    private const string FromCopy = " FROM optiks.[Copy] AS c";
    private const string JoinCopied = " LEFT JOIN optiks.CopyValue AS v ON v.Period = c.Period AND v.Number = c.Number";
    private const string ApplyCopiedList =
        " OUTER APPLY (SELECT Opening, [Value] FROM optiks.CopyValue WHERE c.Structure = 2 AND Period = c.Period AND Number = c.Number) AS v";
    private const string OfPeriod = " WHERE c.Period = @period AND c.Number >= @number ORDER BY c.Number";
    private const string FromSomeOfPeriod = " FROM (SELECT TOP (@max) c.*" + FromCopy + OfPeriod + ") AS c";

    // The beginning of a statement that returns a page. The page ends once the bytes of its values exceed a limit, so that the server sends
    // no further values. The server knows the lengths of values without reading the values.
    private const string Page = "SELECT * FROM (SELECT ";
    private const string OctetsBefore = ", SUM(COALESCE(CAST(DATALENGTH(v.[Value]) AS bigint), 0)) OVER (ORDER BY ";
    private const string UpToRow = " ROWS UNBOUNDED PRECEDING) - COALESCE(CAST(DATALENGTH(v.[Value]) AS bigint), 0) AS OctetsBefore";
    private const string Fitting = ") AS s WHERE s.OctetsBefore <= @bytes ORDER BY ";

    // The condition that copy d is a later row of the same key as copy c.
    private const string TakesPlace = "d.Period = c.Period AND d.Label = c.Label AND d.Structure = c.Structure AND d.Number > c.Number";

    public static Statements All { get; } = new()
    {
        Head = new Statement(Head),
        Clock = new Statement("SELECT SYSUTCDATETIME()"),
        Periods = new Statement(
            "SELECT Period, State, FirstEpoch, Copies, WrappedSecrets, Configuration FROM optiks.Period ORDER BY Period"),
        Epochs = new Statement(
            "SELECT TOP (@max) Epoch, Record, RecordHash, [Checkpoint] FROM optiks.Epoch WHERE Epoch BETWEEN @first AND @last ORDER BY Epoch"),
        // A standby that cannot take the lease must not wait for the holder's commits, so the statement reads the row before it updates it.
        // If it has to wait for the row, it computes the lease's end after the wait.
        AcquireLease = new Statement(
            $"""
            IF EXISTS (SELECT 1 FROM optiks.Head WHERE {IsFree})
            BEGIN
              DECLARE @fence bigint, @end datetime2(6);
              BEGIN TRANSACTION;
              {LockHead};
              UPDATE optiks.Head SET Fence = Fence + 1, Holder = @holder, Session = @session, LeaseEnd = DATEADD(millisecond, @duration, SYSUTCDATETIME()) WHERE {IsFree};
              IF @@ROWCOUNT = 1 SELECT @fence = Fence, @end = LeaseEnd FROM optiks.Head;
              COMMIT TRANSACTION;
              IF @fence IS NOT NULL SELECT @fence, @end;
            END
            """),
        RenewLease = new Statement(
            $"{LockHead}; UPDATE optiks.Head SET LeaseEnd = DATEADD(millisecond, @duration, SYSUTCDATETIME()), Session = @session WHERE Fence = @fence AND Holder = @holder"),
        ReleaseLease = new Statement(
            "UPDATE optiks.Head SET LeaseEnd = '1970-01-01', Holder = N'', Session = N'' WHERE Fence = @fence AND Holder = @holder"),
        HoldLease = new Statement(HoldLease),
        LockLease = new Statement(HoldLease),
        LockHead = new Statement(LockHead),
        CountPending = new Statement("SELECT COUNT_BIG(*) FROM (SELECT TOP (@atMost) Seq FROM optiks.Pending) AS p"),
        FollowsHead = new Statement($"SELECT 1 FROM optiks.Head WHERE {HeadCondition}"),
        MoveHead = new Statement(MoveHead),
        InsertEpoch = new Statement(InsertEpoch),
        MoveHeadToGenesis = new Statement(
            "UPDATE optiks.Head SET Epoch = 0, RecordHash = @hash WHERE Epoch IS NULL AND Fence = @fence AND Holder = @holder"),
        InsertPeriod = new Statement(
            """
            INSERT INTO optiks.Period (Period, State, FirstEpoch, Copies, WrappedSecrets, Configuration)
            SELECT @period, @state, @first, @copies, @secrets, @configuration WHERE NOT EXISTS (SELECT 1 FROM optiks.Period WHERE Period = @period)
            """),
        HasEpoch = new Statement(
            "SELECT 1 FROM optiks.Epoch WHERE Epoch = @epoch AND RecordHash = @hash AND DATALENGTH(RecordHash) = DATALENGTH(@hash)"),
        StoreCheckpoint = new Statement(
            $"""
            {HoldLease};
            IF @@ROWCOUNT = 1
              UPDATE optiks.Epoch SET [Checkpoint] = @checkpoint WHERE Epoch = @epoch AND RecordHash = @hash AND DATALENGTH(RecordHash) = DATALENGTH(@hash)
            """),
        // A constraint of the table allows only PublishedEpoch = Epoch or Epoch - 1, so this statement increases PublishedEpoch by one or
        // not at all.
        Publish = new Statement(
            """
            UPDATE optiks.Head SET PublishedEpoch = @epoch WHERE Epoch = @epoch AND Fence = @fence AND Holder = @holder
            AND EXISTS (SELECT 1 FROM optiks.Epoch AS e WHERE e.Epoch = @epoch AND e.[Checkpoint] IS NOT NULL)
            """),
        // The join begins with the leaves, because the table of outcomes has no index by epoch.
        PublishedRequests = new Statement(
            $"""
            SELECT r.Seq, r.BodyHash FROM optiks.Leaf AS l LEFT JOIN optiks.Request AS r ON r.RequestId = l.RequestId WHERE l.Epoch = @epoch ORDER BY l.Ordinal {Statement.ByIndex}
            """),
        ItemsWithoutLeaves = new Statement(
            $"""
            SELECT o.Seq, o.Item, o.Refusal, o.RefusedItem, o.CurrentPeriod, o.CurrentVersion, r.RequestId, r.BodyHash
            FROM optiks.Outcome AS o JOIN optiks.Request AS r ON r.Seq = o.Seq WHERE o.Epoch = @epoch AND o.Refusal IS NOT NULL ORDER BY o.Seq, o.Item {Statement.ByIndex}
            """),
        ForgetRequests = new Statement(
            $"""
            DECLARE @old TABLE (Seq bigint NOT NULL PRIMARY KEY);
            INSERT INTO @old (Seq)
            SELECT TOP (@max) r.Seq FROM optiks.Request AS r CROSS JOIN optiks.Head AS h WHERE r.RequestId < @bound
            AND NOT EXISTS (SELECT 1 FROM optiks.Pending AS p WHERE p.Seq = r.Seq)
            AND NOT EXISTS (SELECT 1 FROM optiks.Outcome AS o WHERE o.Seq = r.Seq AND (h.PublishedEpoch IS NULL OR o.Epoch > h.PublishedEpoch))
            ORDER BY r.RequestId OPTION (LOOP JOIN);
            DELETE o FROM @old AS d JOIN optiks.Outcome AS o ON o.Seq = d.Seq {Statement.ByIndex};
            DELETE r FROM @old AS d JOIN optiks.Request AS r ON r.Seq = d.Seq {Statement.ByIndex}
            """),
        Status = new Statement(
            """
            SELECT h.PublishedEpoch, CASE WHEN EXISTS (SELECT 1 FROM optiks.Pending AS p WHERE p.Seq = r.Seq) THEN 1 ELSE 0 END, o.Epoch, o.Refusal, o.RefusedItem, o.CurrentPeriod,
                   o.CurrentVersion, o.Ordinal, l.Structure, l.Period, l.Version, v.[Key]
            FROM optiks.Request AS r CROSS JOIN optiks.Head AS h LEFT JOIN optiks.Outcome AS o ON o.Seq = r.Seq
            LEFT JOIN optiks.Leaf AS l ON l.Epoch = o.Epoch AND l.Ordinal = o.Ordinal LEFT JOIN optiks.[Value] AS v ON v.Epoch = l.Epoch AND v.Ordinal = l.Ordinal
            WHERE r.RequestId = @id ORDER BY o.Item
            """),
        EraseValues = new Statement(
            $"DELETE v FROM optiks.Erasure AS e JOIN optiks.[Value] AS v ON v.Epoch = e.Epoch AND v.Ordinal = e.Ordinal WHERE e.DecidedIn = @epoch {Statement.ByIndex}"),
        EraseCopies = new Statement(
            $"DELETE v FROM optiks.Erasure AS e JOIN optiks.CopyValue AS v ON v.Period = e.Period AND v.Number = e.Ordinal WHERE e.DecidedIn = @epoch {Statement.ByIndex}"),
        HasCopies = new Statement("SELECT CASE WHEN EXISTS (SELECT 1 FROM optiks.[Copy]) THEN 1 ELSE 0 END"),
        CopiesOf = new Statement(
            $"""
            SELECT c.Period, c.Number, CASE WHEN v.Period IS NULL THEN 0 ELSE 1 END, CASE WHEN EXISTS (SELECT 1 FROM optiks.[Copy] AS d WHERE {TakesPlace}) THEN 1 ELSE 0 END
            FROM optiks.[Copy] AS c LEFT JOIN optiks.CopyValue AS v ON v.Period = c.Period AND v.Number = c.Number
            WHERE c.SourceEpoch = @epoch AND c.SourceOrdinal = @ordinal AND (@epoch > 0 OR c.Period = @period + 1) ORDER BY c.Period, c.Number {Statement.ByIndex}
            """),
        SourceOf = new Statement(
            $"""
            SELECT c.SourceEpoch, c.SourceOrdinal, CASE WHEN v.Epoch IS NULL AND s.Period IS NULL THEN 0 ELSE 1 END
            FROM optiks.[Copy] AS c LEFT JOIN optiks.[Value] AS v ON v.Epoch = c.SourceEpoch AND v.Ordinal = c.SourceOrdinal
            LEFT JOIN optiks.CopyValue AS s ON c.SourceEpoch = 0 AND s.Period = c.Period - 1 AND s.Number = c.SourceOrdinal
            WHERE c.Period = @period AND c.Number = @number AND c.Version > 0 {Statement.ByIndex}
            """),
        Erasures = new Statement(
            $"""
            SELECT TOP (@max) e.DecidedIn, e.Number, e.Epoch, e.Period, e.Ordinal, e.RequestId, e.Item, COALESCE(l.Structure, c.Structure), COALESCE(l.Label, c.Label), COALESCE(l.Commitment, c.Commitment)
            FROM optiks.Erasure AS e LEFT JOIN optiks.Leaf AS l ON l.Epoch = e.Epoch AND l.Ordinal = e.Ordinal LEFT JOIN optiks.[Copy] AS c ON c.Period = e.Period AND c.Number = e.Ordinal
            WHERE e.DecidedIn >= @epoch AND (e.DecidedIn > @epoch OR e.Number >= @number) AND e.DecidedIn <= @last ORDER BY e.DecidedIn, e.Number {Statement.ByIndex}
            """),
        Receipt = new Statement(
            $"""
            SELECT COALESCE(l.Structure, c.Structure), COALESCE(l.Period, c.Period), COALESCE(l.Version, 1), COALESCE(l.Epoch, p.FirstEpoch)
            FROM optiks.Erasure AS e LEFT JOIN optiks.Leaf AS l ON l.Epoch = e.Epoch AND l.Ordinal = e.Ordinal LEFT JOIN optiks.[Copy] AS c ON c.Period = e.Period AND c.Number = e.Ordinal
            LEFT JOIN optiks.Period AS p ON p.Period = c.Period AND p.FirstEpoch <= e.DecidedIn
            WHERE e.DecidedIn = @epoch AND e.RequestId = @id AND @epoch <= (SELECT PublishedEpoch FROM optiks.Head) AND (l.Epoch IS NOT NULL OR (p.Period IS NOT NULL AND NOT EXISTS (
              SELECT 1 FROM optiks.[Copy] AS d WHERE {TakesPlace}))) ORDER BY e.Number {Statement.ByIndex}
            """),
        LeafAt = new Statement(
            """
            SELECT l.Structure, l.Label, CASE WHEN v.Epoch IS NULL THEN 0 ELSE 1 END
            FROM optiks.Leaf AS l LEFT JOIN optiks.[Value] AS v ON v.Epoch = l.Epoch AND v.Ordinal = l.Ordinal WHERE l.Epoch = @epoch AND l.Ordinal = @ordinal
            """),
        ValueAt = new Statement("SELECT [Value] FROM optiks.[Value] WHERE Epoch = @epoch AND Ordinal = @ordinal"),
        EpochSizes = new Statement(
            "SELECT TOP (@max) Epoch, Leaves, ValueBytes FROM optiks.Epoch WHERE Epoch BETWEEN @first AND @last ORDER BY Epoch"),
        LeavesOfTrees = new Statement(Trees + FromLeaf + OfEpochs),
        LeavesWithLists = new Statement(Trees + Values + FromLeaf + ApplyList + OfEpochs + " " + Statement.ByIndex),
        LeavesWithValues = new Statement(Trees + Values + FromLeaf + JoinValue + OfEpochs),
        WholeLeaves = new Statement(Trees + Values + ", l.Item, l.RequestId, v.[Key]" + FromLeaf + JoinValue + OfEpochs),
        NamesOfTrees = new Statement(Trees + FromLeaf + OfNames),
        NamesWithValues = new Statement(Trees + Values + FromLeaf + JoinValue + OfNames + " " + Statement.ByIndex),
        StoredEpochs = new Statement(
            "SELECT TOP (@max) Epoch, Record, RecordHash, [Checkpoint], Leaves, ValueBytes FROM optiks.Epoch WHERE Epoch >= @first ORDER BY Epoch"),
        StoredLeaves = new Statement(
            Page
                + "l.Epoch, l.Ordinal, l.Structure, l.Period, l.Version, l.Label, l.Commitment, l.Tag, l.RequestId, l.Item, v.Opening, v.[Key], v.[Value]"
            + OctetsBefore + "l.Epoch, l.Ordinal" + UpToRow
            + " FROM (SELECT TOP (@max) l.*" + FromLeaf
            + " WHERE l.Epoch >= @epoch AND (l.Epoch > @epoch OR l.Ordinal >= @ordinal) ORDER BY l.Epoch, l.Ordinal) AS l" + JoinValue
            + Fitting + "s.Epoch, s.Ordinal"),
        CountValues = new Statement("SELECT COUNT_BIG(*) FROM optiks.[Value]"),
        EndPeriod = new Statement("UPDATE optiks.Period SET State = 3 WHERE Period = @period AND State = 2"),
        StartPeriod = new Statement(
            """
            UPDATE optiks.Period SET State = 2, FirstEpoch = @first, Copies = @copies WHERE Period = @period AND State = 1
            AND @copies = COALESCE((SELECT TOP (1) c.Number + 1 FROM optiks.[Copy] AS c WHERE c.Period = @period ORDER BY c.Number DESC), 0)
            """),
        DestroySecrets = new Statement("UPDATE optiks.Period SET State = 4, WrappedSecrets = 0x WHERE Period = @period AND State = 3"),
        RewrapSecrets = new Statement(
            "UPDATE optiks.Period SET WrappedSecrets = @after WHERE Period = @period AND WrappedSecrets = @before AND DATALENGTH(WrappedSecrets) = DATALENGTH(@before)"),
        DestroyCopies = new Statement("DELETE TOP (@max) FROM optiks.CopyValue WHERE Period = @period"),
        LeftToDestroy = new Statement(
            "SELECT COALESCE(p.DestroyedBefore, p.FirstEpoch), n.FirstEpoch FROM optiks.Period AS p JOIN optiks.Period AS n ON n.Period = p.Period + 1 WHERE p.Period = @period"),
        DestroyLeaves = new Statement(
            $"""
            DELETE v FROM optiks.Leaf AS l JOIN optiks.[Value] AS v ON v.Epoch = l.Epoch AND v.Ordinal = l.Ordinal
            WHERE l.Epoch BETWEEN @first AND @last AND l.Structure IN (2, 3) {Statement.ByIndex}
            """),
        SetDestroyedBefore = new Statement("UPDATE optiks.Period SET DestroyedBefore = @before WHERE Period = @period AND State = 4"),
        EndDestroying = new Statement(
            """
            UPDATE optiks.Period SET State = 5 WHERE Period = @period AND State = 4 AND DATALENGTH(WrappedSecrets) = 0
            AND NOT EXISTS (SELECT 1 FROM optiks.CopyValue AS v WHERE v.Period = @period)
            """),
        NextCopy = new Statement(
            "SELECT p.State, COALESCE((SELECT TOP (1) c.Number + 1 FROM optiks.[Copy] AS c WHERE c.Period = p.Period ORDER BY c.Number DESC), 0) FROM optiks.Period AS p WHERE p.Period = @period"),
        HasCopy = new Statement(
            "SELECT 1 FROM optiks.[Copy] WHERE Period = @period AND Number = @number AND Label = @label AND Commitment = @commitment"),
        FindCopy = new Statement(
            $"""
            SELECT TOP (1) c.Number, c.Version, CASE WHEN v.Period IS NULL THEN 0 ELSE 1 END
            FROM optiks.[Copy] AS c LEFT JOIN optiks.CopyValue AS v ON v.Period = c.Period AND v.Number = c.Number
            WHERE c.Period = @period AND c.Label = @label AND c.Structure = @structure ORDER BY c.Number DESC {Statement.ByIndex}
            """),
        CopyValueAt = new Statement("SELECT [Value] FROM optiks.CopyValue WHERE Period = @period AND Number = @number"),
        CountSources = new Statement(
            $"""
            SELECT COUNT_BIG(*) FROM optiks.[Copy] AS c JOIN optiks.CopyValue AS x ON x.Period = c.Period AND x.Number = c.Number
            LEFT JOIN optiks.[Value] AS v ON v.Epoch = c.SourceEpoch AND v.Ordinal = c.SourceOrdinal
            LEFT JOIN optiks.CopyValue AS s ON c.SourceEpoch = 0 AND s.Period = c.Period - 1 AND s.Number = c.SourceOrdinal
            WHERE c.Period = @period AND c.Number >= @number AND (v.Epoch IS NOT NULL OR s.Period IS NOT NULL) {Statement.ByIndex}
            """),
        Superseded = new Statement(
            $"""
            SELECT DISTINCT c.Number FROM optiks.[Copy] AS d JOIN optiks.[Copy] AS c ON {TakesPlace}
            WHERE d.Period = @period AND d.Number BETWEEN @number AND @last ORDER BY c.Number {Statement.ByIndex}
            """),
        DropSuperseded = new Statement(
            $"""
            DELETE v FROM optiks.[Copy] AS d JOIN optiks.[Copy] AS c ON {TakesPlace} JOIN optiks.CopyValue AS v ON v.Period = c.Period AND v.Number = c.Number
            WHERE d.Period = @period AND d.Number >= @number {Statement.ByIndex}
            """),
        CopiesOfTrees = new Statement("SELECT TOP (@max) " + CopyColumns + FromCopy + OfPeriod),
        CopiesWithLists = new Statement(
            Page + CopyColumns + Values + OctetsBefore + "c.Number" + UpToRow + FromSomeOfPeriod + ApplyCopiedList + Fitting + "s.Number "
                + Statement.ByIndex),
        CopyValues = new Statement(
            Page + "v.Number" + Values + ", v.[Key]" + OctetsBefore + "v.Number" + UpToRow
                + " FROM optiks.CopyValue AS v WHERE v.Period = @period AND v.Number BETWEEN @number AND @last" + Fitting + "s.Number"),
        StoredCopies = new Statement(
            Page + "c.Period, " + CopyColumns + ", v.Opening, v.[Key], v.[Value]" + OctetsBefore + "c.Period, c.Number" + UpToRow
            + " FROM (SELECT TOP (@max) c.*" + FromCopy
            + " WHERE c.Period >= @period AND (c.Period > @period OR c.Number >= @number) ORDER BY c.Period, c.Number) AS c" + JoinCopied
            + Fitting + "s.Period, s.Number"),
        CountCopyValues = new Statement("SELECT COUNT_BIG(*) FROM optiks.CopyValue"),
        RequestSwitch = new Statement(
            "INSERT INTO optiks.SwitchRequest (Period) SELECT @period WHERE NOT EXISTS (SELECT 1 FROM optiks.SwitchRequest WHERE Period = @period)"),
        RequestedSwitch = new Statement(
            "SELECT r.Period FROM optiks.SwitchRequest AS r JOIN optiks.Period AS p ON p.Period = r.Period - 1 WHERE p.State = 2"),
        StoredRequests = new Statement("SELECT TOP (@max) Seq, RequestId, BodyHash FROM optiks.Request WHERE Seq > @after ORDER BY Seq"),
        StoredPending = new Statement(
            """
            SELECT p.Seq, p.Item, p.Structure, p.[Key], p.[Value], p.ExpectedPeriod, p.ExpectedVersion,
                   CASE WHEN p.RequestId = r.RequestId AND p.BodyHash = r.BodyHash THEN 1 WHEN r.Seq IS NOT NULL THEN 0 END
            FROM optiks.Pending AS p LEFT JOIN optiks.Request AS r ON r.Seq = p.Seq WHERE p.Seq > @after AND p.Seq <= @through ORDER BY p.Seq, p.Item
            """),
        StoredOutcomes = new Statement(
            """
            SELECT o.Seq, o.Item, o.Epoch, o.Ordinal, o.Refusal, o.RefusedItem, o.CurrentPeriod, o.CurrentVersion, l.RequestId, l.Item
            FROM optiks.Outcome AS o LEFT JOIN optiks.Leaf AS l ON l.Epoch = o.Epoch AND l.Ordinal = o.Ordinal WHERE o.Seq > @after AND o.Seq <= @through ORDER BY o.Seq, o.Item
            """),
        HasRows = new Statement(
            """
            SELECT CASE WHEN EXISTS (SELECT 1 FROM optiks.Request) OR EXISTS (SELECT 1 FROM optiks.Pending) OR EXISTS (SELECT 1 FROM optiks.Outcome) OR EXISTS (SELECT 1 FROM optiks.Leaf)
              OR EXISTS (SELECT 1 FROM optiks.[Value]) OR EXISTS (SELECT 1 FROM optiks.Epoch) OR EXISTS (SELECT 1 FROM optiks.Period) OR EXISTS (SELECT 1 FROM optiks.Erasure)
              OR EXISTS (SELECT 1 FROM optiks.[Copy]) OR EXISTS (SELECT 1 FROM optiks.CopyValue)
              OR EXISTS (SELECT 1 FROM optiks.Head WHERE Epoch IS NOT NULL OR Holder <> N'') THEN 1 ELSE 0 END
            """),
        ContinueNumbers = new Statement("UPDATE optiks.Acceptance SET LastSeq = @last"),
        SetHead = new Statement(
            "UPDATE optiks.Head SET Epoch = @epoch, RecordHash = @hash, PublishedEpoch = @published, Fence = @fence, Holder = N'', Session = N'', LeaseEnd = '1970-01-01'"),
    };
}
