using Optiks.Storage.PostgreSql.Engine;

namespace Optiks.Storage.PostgreSql;

/// <summary>Provides the SQL of <see cref="Statements"/> for PostgreSQL.</summary>
internal static class PostgreSqlStatements
{
    private const string HeadCondition = "epoch = $1 - 1 AND published_epoch = $1 - 1 AND record_hash = $2 AND fence = $3 AND holder = $4";

    private const string Trees = "SELECT l.epoch << 28 | l.ordinal, l.structure, l.version, l.label, l.commitment, l.tag";
    private const string Values = ", v.opening, v.value";
    private const string FromLeaf = " FROM leaf AS l";

    // A join that looks up values only for leaves of structure 2 (devices).
    private const string JoinList =
        " LEFT JOIN LATERAL (SELECT opening, value FROM value WHERE l.structure = 2 AND epoch = l.epoch AND ordinal = l.ordinal OFFSET 0) AS v ON true";

    // A join that reads all values. It repeats the condition on the range of epochs for the table of values, so that the server reads both
    // tables in the order of their keys and merges them.
    private const string JoinValue = " LEFT JOIN value AS v ON v.epoch = l.epoch AND v.ordinal = l.ordinal AND v.epoch BETWEEN $1 AND $2";
    private const string OfEpochs = " WHERE l.epoch BETWEEN $1 AND $2 ORDER BY l.epoch, l.ordinal";

    // A join that looks up values row by row, for statements that read few leaves or one page of leaves.
    private const string JoinValueOfEach =
        " LEFT JOIN LATERAL (SELECT opening, key, value FROM value WHERE epoch = l.epoch AND ordinal = l.ordinal OFFSET 0) AS v ON true";

    // The end of statements that read only leaves of structures 1 (usernames) and 4 (decommissioned). A log of plain keys has no such
    // leaves.
    private const string OfNames = " WHERE l.structure IN (1, 4) AND l.epoch BETWEEN $1 AND $2 ORDER BY l.epoch, l.ordinal";

    private const string Copies = "SELECT c.number, c.structure, c.version, c.source_epoch, c.source_ordinal, c.label, c.commitment, c.tag";
    private const string FromCopy = " FROM copy AS c";
    private const string JoinCopiedList =
        " LEFT JOIN LATERAL (SELECT opening, value FROM copy_value WHERE c.structure = 2 AND period = c.period AND number = c.number OFFSET 0) AS v ON true";

    // A join that looks up the copies' values row by row. The number of copies grows from zero to millions within minutes, and a plan from
    // old statistics would scan all of them for each page.
    private const string JoinCopied =
        " LEFT JOIN LATERAL (SELECT opening, key, value FROM copy_value WHERE period = c.period AND number = c.number OFFSET 0) AS v ON true";
    private const string OfPeriod = " WHERE c.period = $1 AND c.number >= $2 ORDER BY c.number LIMIT $3";

    // The beginning of a statement that returns a page. The page ends once the bytes of its values exceed a limit, so that the server sends
    // no further values. The server knows the lengths of values without reading the values.
    private const string Page = "SELECT * FROM (";
    private const string OctetsBefore = ", sum(coalesce(octet_length(v.value), 0)) OVER (ORDER BY ";
    private const string UpToRow = " ROWS UNBOUNDED PRECEDING) - coalesce(octet_length(v.value), 0) AS octets_before";
    private const string Fitting = ") AS s WHERE octets_before <= $4 ORDER BY ";

    // The condition that copy d is a later row of the same key as copy c. It compares both the label's beginning, for the index, and the
    // whole label, because the index does not contain the rest.
    private const string TakesPlace =
        "d.period = c.period AND d.structure = c.structure AND substring(d.label, 1, 4) = substring(c.label, 1, 4) AND d.label = c.label AND d.number > c.number";

    public static Statements All { get; } = new()
    {
        Head = new("SELECT epoch, record_hash, published_epoch, fence, holder, lease_end FROM head WHERE one = 1"),
        Clock = new("SELECT clock_timestamp()"),
        Periods = new("SELECT period, state, first_epoch, copies, wrapped_secrets, configuration FROM period ORDER BY period"),
        Epochs = new("SELECT epoch, record, record_hash, checkpoint FROM epoch WHERE epoch BETWEEN $1 AND $2 ORDER BY epoch LIMIT $3"),
        AcquireLease = new(
            """
            UPDATE head SET fence = fence + 1, holder = $1, session = $3, lease_end = clock_timestamp() + $2
            WHERE holder = '' OR holder = $1 OR lease_end <= clock_timestamp() RETURNING fence, lease_end
            """),
        RenewLease = new("UPDATE head SET lease_end = clock_timestamp() + $1, session = $4 WHERE fence = $2 AND holder = $3"),
        ReleaseLease = new("UPDATE head SET lease_end = 'epoch', holder = '', session = '' WHERE fence = $1 AND holder = $2"),
        HoldLease = new("SELECT 1 FROM head WHERE fence = $1 AND holder = $2 FOR SHARE"),
        LockLease = new("SELECT 1 FROM head WHERE fence = $1 AND holder = $2 FOR UPDATE"),
        LockHead = new("SELECT 1 FROM head FOR UPDATE"),
        CountPending = new("SELECT count(*) FROM (SELECT FROM pending LIMIT $1) AS p"),
        FollowsHead = new($"SELECT 1 FROM head WHERE {HeadCondition}"),
        MoveHead = new($"UPDATE head SET epoch = $1, record_hash = $5 WHERE {HeadCondition}"),
        InsertEpoch = new(
            "INSERT INTO epoch (epoch, leaves, value_bytes, record_hash, record) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING"),
        MoveHeadToGenesis = new("UPDATE head SET epoch = 0, record_hash = $1 WHERE epoch IS NULL AND fence = $2 AND holder = $3"),
        InsertPeriod = new(
            "INSERT INTO period (period, state, first_epoch, copies, wrapped_secrets, configuration) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING"),
        HasEpoch = new("SELECT 1 FROM epoch WHERE epoch = $1 AND record_hash = $2"),
        // The head row stays locked until the commit, so no other holder can take over the lease before this transaction ends.
        StoreCheckpoint = new(
            """
            WITH mine AS (SELECT 1 FROM head WHERE fence = $4 AND holder = $5 FOR SHARE)
            UPDATE epoch SET checkpoint = $1 WHERE epoch = $2 AND record_hash = $3 AND EXISTS (SELECT FROM mine)
            """),
        // A constraint of the table allows only published_epoch = epoch or epoch - 1, so this statement increases published_epoch by one or
        // not at all. The server notifies listeners at the commit.
        Publish = new(
            $"""
            WITH moved AS (
              UPDATE head SET published_epoch = $1 WHERE epoch = $1 AND fence = $2 AND holder = $3
              AND EXISTS (SELECT FROM epoch AS e WHERE e.epoch = $1 AND e.checkpoint IS NOT NULL) RETURNING published_epoch
            )
            SELECT pg_notify('{Listener.Published}', published_epoch::text) FROM moved
            """),
        // The join begins with the leaves, because the table of outcomes has no index by epoch.
        PublishedRequests = new(
            """
            SELECT r.seq, r.body_hash FROM leaf AS l LEFT JOIN LATERAL (SELECT seq, body_hash FROM request WHERE request_id = l.request_id OFFSET 0) AS r ON true
            WHERE l.epoch = $1 ORDER BY l.ordinal
            """),
        ItemsWithoutLeaves = new(
            """
            SELECT o.seq, o.item, o.refusal, o.refused_item, o.current_period, o.current_version, r.request_id, r.body_hash
            FROM outcome AS o CROSS JOIN LATERAL (SELECT request_id, body_hash FROM request WHERE seq = o.seq OFFSET 0) AS r
            WHERE o.epoch = $1 AND o.refusal IS NOT NULL ORDER BY o.seq, o.item
            """),
        // The statement reads requests from the oldest id on, and looks up the rows of other tables one by one by their indexes. Joins
        // would scan all stored requests and outcomes at every epoch.
        ForgetRequests = new(
            """
            WITH old AS MATERIALIZED (
              SELECT r.seq FROM request AS r WHERE r.request_id < $1
              AND (SELECT p.seq FROM pending AS p WHERE p.seq = r.seq LIMIT 1) IS NULL
              AND (SELECT o.seq FROM outcome AS o WHERE o.seq = r.seq AND o.epoch > (SELECT coalesce(published_epoch, -1) FROM head WHERE one = 1) LIMIT 1) IS NULL
              ORDER BY r.request_id LIMIT $2
            ), forgotten AS (DELETE FROM outcome WHERE seq = ANY (ARRAY(SELECT seq FROM old)))
            DELETE FROM request WHERE seq = ANY (ARRAY(SELECT seq FROM old))
            """),
        // The statement is written so that the server must look up each row by its index. With outdated statistics, joins scanned all
        // requests for each status.
        Status = new(
            """
            WITH r AS MATERIALIZED (SELECT seq FROM request WHERE request_id = $1)
            SELECT h.published_epoch, EXISTS (SELECT FROM pending WHERE seq = r.seq OFFSET 0), o.epoch, o.refusal, o.refused_item, o.current_period, o.current_version, o.ordinal,
                   l.structure, l.period, l.version, v.key
            FROM r CROSS JOIN head AS h
            LEFT JOIN LATERAL (SELECT * FROM outcome WHERE seq = r.seq OFFSET 0) AS o ON true
            LEFT JOIN LATERAL (SELECT structure, period, version FROM leaf WHERE epoch = o.epoch AND ordinal = o.ordinal OFFSET 0) AS l ON true
            LEFT JOIN LATERAL (SELECT key FROM value WHERE epoch = o.epoch AND ordinal = o.ordinal OFFSET 0) AS v ON true
            ORDER BY o.item
            """),
        // The statement is written so that the server looks up each row by its table's index, whatever the statistics say.
        EraseValues = new(
            """
            DELETE FROM value WHERE ctid = ANY (ARRAY(
              SELECT v.ctid FROM erasure AS e CROSS JOIN LATERAL (SELECT ctid FROM value WHERE epoch = e.epoch AND ordinal = e.ordinal OFFSET 0) AS v WHERE e.decided_in = $1))
            """),
        EraseCopies = new(
            """
            DELETE FROM copy_value WHERE ctid = ANY (ARRAY(
              SELECT v.ctid FROM erasure AS e CROSS JOIN LATERAL (SELECT ctid FROM copy_value WHERE period = e.period AND number = e.ordinal OFFSET 0) AS v WHERE e.decided_in = $1))
            """),
        HasCopies = new("SELECT EXISTS (SELECT FROM copy)"),
        CopiesOf = new(
            $"""
            SELECT c.period, c.number, EXISTS (SELECT FROM copy_value WHERE period = c.period AND number = c.number OFFSET 0), EXISTS (SELECT FROM copy AS d WHERE {TakesPlace} OFFSET 0)
            FROM copy AS c WHERE c.source_epoch = $1 AND c.source_ordinal = $3 AND ($1 > 0 OR c.period = $2 + 1) ORDER BY c.period, c.number
            """),
        SourceOf = new(
            """
            SELECT c.source_epoch, c.source_ordinal,
                   CASE WHEN c.source_epoch > 0 THEN EXISTS (SELECT FROM value WHERE epoch = c.source_epoch AND ordinal = c.source_ordinal OFFSET 0)
                     ELSE EXISTS (SELECT FROM copy_value WHERE period = c.period - 1 AND number = c.source_ordinal OFFSET 0) END
            FROM copy AS c WHERE c.period = $1 AND c.number = $2 AND c.version > 0
            """),
        Erasures = new(
            """
            SELECT e.decided_in, e.number, e.epoch, e.period, e.ordinal, e.request_id, e.item, l.structure, l.label, l.commitment
            FROM erasure AS e LEFT JOIN LATERAL (
              SELECT structure, label, commitment FROM leaf WHERE epoch = e.epoch AND ordinal = e.ordinal
              UNION ALL SELECT structure, label, commitment FROM copy WHERE period = e.period AND number = e.ordinal OFFSET 0) AS l ON true
            WHERE (e.decided_in, e.number) >= ($1, $2) AND e.decided_in <= $3 ORDER BY e.decided_in, e.number LIMIT $4
            """),
        Receipt = new(
            $"""
            SELECT l.structure, l.period, l.version, l.epoch
            FROM erasure AS e CROSS JOIN LATERAL (
              SELECT structure, period, version, epoch FROM leaf WHERE epoch = e.epoch AND ordinal = e.ordinal
              UNION ALL SELECT c.structure, c.period, 1, p.first_epoch FROM copy AS c JOIN period AS p ON p.period = c.period
                WHERE c.period = e.period AND c.number = e.ordinal AND p.first_epoch <= e.decided_in AND NOT EXISTS (SELECT FROM copy AS d WHERE {TakesPlace} OFFSET 0)
              OFFSET 0) AS l
            WHERE e.decided_in = $1 AND e.request_id = $2 AND $1 <= (SELECT published_epoch FROM head) ORDER BY e.number
            """),
        LeafAt = new(
            """
            SELECT l.structure, l.label, v.epoch IS NOT NULL FROM leaf AS l LEFT JOIN value AS v ON v.epoch = l.epoch AND v.ordinal = l.ordinal
            WHERE l.epoch = $1 AND l.ordinal = $2
            """),
        ValueAt = new("SELECT value FROM value WHERE epoch = $1 AND ordinal = $2"),
        EpochSizes = new("SELECT epoch, leaves, value_bytes FROM epoch WHERE epoch BETWEEN $1 AND $2 ORDER BY epoch LIMIT $3"),
        LeavesOfTrees = new(Trees + FromLeaf + OfEpochs),
        LeavesWithLists = new(Trees + Values + FromLeaf + JoinList + OfEpochs),
        LeavesWithValues = new(Trees + Values + FromLeaf + JoinValue + OfEpochs),
        WholeLeaves = new(Trees + Values + ", l.item, l.request_id, v.key" + FromLeaf + JoinValue + OfEpochs),
        NamesOfTrees = new(Trees + FromLeaf + OfNames),
        NamesWithValues = new(Trees + Values + FromLeaf + JoinValueOfEach + OfNames),
        StoredEpochs = new(
            "SELECT epoch, record, record_hash, checkpoint, leaves, value_bytes FROM epoch WHERE epoch >= $1 ORDER BY epoch LIMIT $2"),
        StoredLeaves = new(
            Page
                + "SELECT l.epoch, l.ordinal, l.structure, l.period, l.version, l.label, l.commitment, l.tag, l.request_id, l.item, v.opening, v.key, v.value"
            + OctetsBefore + "l.epoch, l.ordinal" + UpToRow + FromLeaf + JoinValueOfEach
            + " WHERE (l.epoch, l.ordinal) >= ($1, $2) ORDER BY l.epoch, l.ordinal LIMIT $3"
            + Fitting + "epoch, ordinal"),
        CountValues = new("SELECT count(*) FROM value"),
        EndPeriod = new("UPDATE period SET state = 3 WHERE period = $1 AND state = 2"),
        StartPeriod = new(
            """
            UPDATE period SET state = 2, first_epoch = $2, copies = $3 WHERE period = $1 AND state = 1
            AND $3 = coalesce((SELECT number + 1 FROM copy WHERE period = $1 ORDER BY number DESC LIMIT 1), 0)
            """),
        DestroySecrets = new("UPDATE period SET state = 4, wrapped_secrets = '' WHERE period = $1 AND state = 3"),
        RewrapSecrets = new("UPDATE period SET wrapped_secrets = $3 WHERE period = $1 AND wrapped_secrets = $2"),
        DestroyCopies = new(
            "DELETE FROM copy_value WHERE ctid = ANY (ARRAY(SELECT ctid FROM copy_value WHERE period = $1 ORDER BY number LIMIT $2))"),
        LeftToDestroy = new(
            "SELECT coalesce(p.destroyed_before, p.first_epoch), n.first_epoch FROM period AS p JOIN period AS n ON n.period = p.period + 1 WHERE p.period = $1"),
        // Like `EraseValues`, the statement is written so that the server looks up each row by its index.
        DestroyLeaves = new(
            """
            DELETE FROM value WHERE ctid = ANY (ARRAY(
              SELECT v.ctid FROM leaf AS l CROSS JOIN LATERAL (SELECT ctid FROM value WHERE epoch = l.epoch AND ordinal = l.ordinal OFFSET 0) AS v
              WHERE l.epoch BETWEEN $1 AND $2 AND l.structure IN (2, 3)))
            """),
        SetDestroyedBefore = new("UPDATE period SET destroyed_before = $2 WHERE period = $1 AND state = 4"),
        EndDestroying = new(
            "UPDATE period AS p SET state = 5 WHERE period = $1 AND state = 4 AND wrapped_secrets = '' AND NOT EXISTS (SELECT FROM copy_value AS v WHERE v.period = p.period)"),
        NextCopy = new(
            "SELECT p.state, coalesce((SELECT number + 1 FROM copy WHERE period = p.period ORDER BY number DESC LIMIT 1), 0) FROM period AS p WHERE p.period = $1"),
        HasCopy = new("SELECT 1 FROM copy WHERE period = $1 AND number = $2 AND label = $3 AND commitment = $4"),
        // The statement also compares the whole label, because the index only has its beginning. An outer query sorts the few rows that are
        // found; otherwise the server might scan the period backwards instead of using the index.
        FindCopy = new(
            """
            SELECT c.number, c.version, EXISTS (SELECT FROM copy_value WHERE period = $1 AND number = c.number OFFSET 0)
            FROM (SELECT number, version FROM copy WHERE period = $1 AND structure = $2 AND label = $3 AND substring(label, 1, 4) = substring($3, 1, 4) OFFSET 0) AS c
            ORDER BY c.number DESC LIMIT 1
            """),
        CopyValueAt = new("SELECT value FROM copy_value WHERE period = $1 AND number = $2"),
        // Like `EraseValues`, the statement is written so that the server looks up each row by its index.
        CountSources = new(
            """
            SELECT count(*) FROM copy AS c WHERE c.period = $1 AND c.number >= $2
            AND EXISTS (SELECT FROM copy_value WHERE period = c.period AND number = c.number OFFSET 0)
            AND CASE WHEN c.source_epoch > 0 THEN EXISTS (SELECT FROM value WHERE epoch = c.source_epoch AND ordinal = c.source_ordinal OFFSET 0)
              ELSE EXISTS (SELECT FROM copy_value WHERE period = c.period - 1 AND number = c.source_ordinal OFFSET 0) END
            """),
        Superseded = new(
            $"""
            SELECT DISTINCT c.number FROM copy AS d CROSS JOIN LATERAL (SELECT number FROM copy AS c WHERE {TakesPlace} OFFSET 0) AS c
            WHERE d.period = $1 AND d.number BETWEEN $2 AND $3 ORDER BY c.number
            """),
        DropSuperseded = new(
            $"""
            DELETE FROM copy_value WHERE ctid = ANY (ARRAY(
              SELECT v.ctid FROM copy AS d CROSS JOIN LATERAL (SELECT period, number FROM copy AS c WHERE {TakesPlace} OFFSET 0) AS c
              CROSS JOIN LATERAL (SELECT ctid FROM copy_value WHERE period = c.period AND number = c.number OFFSET 0) AS v WHERE d.period = $1 AND d.number >= $2))
            """),
        CopiesOfTrees = new(Copies + FromCopy + OfPeriod),
        CopiesWithLists = new(
            Page + Copies + Values + OctetsBefore + "c.number" + UpToRow + FromCopy + JoinCopiedList + OfPeriod + Fitting + "number"),
        CopyValues = new(
            Page + "SELECT v.number" + Values + ", v.key" + OctetsBefore + "v.number" + UpToRow
                + " FROM copy_value AS v WHERE v.period = $1 AND v.number BETWEEN $2 AND $3" + Fitting + "number"),
        StoredCopies = new(
            Page
                + "SELECT c.period, c.number, c.structure, c.version, c.source_epoch, c.source_ordinal, c.label, c.commitment, c.tag, v.opening, v.key, v.value"
            + OctetsBefore + "c.period, c.number" + UpToRow + FromCopy + JoinCopied
            + " WHERE (c.period, c.number) >= ($1, $2) ORDER BY c.period, c.number LIMIT $3"
            + Fitting + "period, number"),
        CountCopyValues = new("SELECT count(*) FROM copy_value"),
        RequestSwitch = new("INSERT INTO switch_request (period) VALUES ($1) ON CONFLICT DO NOTHING"),
        RequestedSwitch = new("SELECT r.period FROM switch_request AS r JOIN period AS p ON p.period = r.period - 1 WHERE p.state = 2"),
        StoredRequests = new("SELECT seq, request_id, body_hash FROM request WHERE seq > $1 ORDER BY seq LIMIT $2"),
        StoredPending = new(
            """
            SELECT p.seq, p.item, p.structure, p.key, p.value, p.expected_period, p.expected_version, r.same
            FROM pending AS p LEFT JOIN LATERAL (SELECT p.request_id = request_id AND p.body_hash = body_hash AS same FROM request WHERE seq = p.seq OFFSET 0) AS r ON true
            WHERE p.seq > $1 AND p.seq <= $2 ORDER BY p.seq, p.item
            """),
        StoredOutcomes = new(
            """
            SELECT o.seq, o.item, o.epoch, o.ordinal, o.refusal, o.refused_item, o.current_period, o.current_version, l.request_id, l.item
            FROM outcome AS o LEFT JOIN leaf AS l ON l.epoch = o.epoch AND l.ordinal = o.ordinal WHERE o.seq > $1 AND o.seq <= $2 ORDER BY o.seq, o.item
            """),
        HasRows = new(
            """
            SELECT EXISTS (SELECT FROM request) OR EXISTS (SELECT FROM pending) OR EXISTS (SELECT FROM outcome) OR EXISTS (SELECT FROM leaf) OR EXISTS (SELECT FROM value)
            OR EXISTS (SELECT FROM epoch) OR EXISTS (SELECT FROM erasure) OR EXISTS (SELECT FROM period) OR EXISTS (SELECT FROM copy) OR EXISTS (SELECT FROM copy_value)
             OR EXISTS (SELECT FROM head WHERE epoch IS NOT NULL OR holder <> '')
            """),
        ContinueNumbers = new("SELECT setval('request_seq_seq', $1)"),
        SetHead = new(
            "UPDATE head SET epoch = $1, record_hash = $2, published_epoch = $3, fence = $4, holder = '', session = '', lease_end = 'epoch'"),
    };
}
