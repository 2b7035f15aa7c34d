namespace Optiks.Storage.Sqlite;

/// <summary>
/// Provides the SQL of <see cref="Statements"/> for SQLite. The statements for the lease need no separate lock, because a writer holds the
/// file's write lock from the beginning of its transaction. They use no names of sessions, because SQLite has no sessions on a server.
/// </summary>
internal static class SqliteStatements
{
    private const string HeadCondition = "epoch = ?1 - 1 AND published_epoch = ?1 - 1 AND record_hash = ?2 AND fence = ?3 AND holder = ?4";

    private const string Oldest =
        """
        SELECT seq FROM request AS r WHERE request_id < ?1
        AND NOT EXISTS (SELECT 1 FROM pending WHERE id BETWEEN r.seq << 8 AND r.seq << 8 | 255)
        AND NOT EXISTS (SELECT 1 FROM outcome AS o JOIN head AS h WHERE o.id BETWEEN r.seq << 8 AND r.seq << 8 | 255 AND (h.published_epoch IS NULL OR o.epoch > h.published_epoch))
        ORDER BY request_id LIMIT ?2
        """;

    // The condition that selects the rows of items whose requests have a sequence number above ?1 and at most ?2. Larger numbers are
    // replaced by the largest sequence number, 2^54 - 1 (migrations/0001), because they would not fit into an id.
    private const string Between = "id > (min(?1, 18014398509481983) << 8 | 255) AND id <= (min(?2, 18014398509481983) << 8 | 255)";

    private const string Trees = "SELECT l.id, l.structure, l.version, l.label, l.commitment, l.tag";
    private const string Values = ", v.opening, v.value";
    private const string FromLeaf = " FROM leaf AS l";

    // A join that looks up values only for leaves of structure 2 (devices).
    private const string JoinList = " LEFT JOIN value AS v ON v.id = CASE l.structure WHEN 2 THEN l.id END";
    private const string JoinValue = " LEFT JOIN value AS v ON v.id = l.id";
    private const string OfEpochs = " WHERE l.id BETWEEN ?1 << 28 AND ?2 << 28 | 268435455 ORDER BY l.id";

    // The end of statements that read only leaves of structures 1 (usernames) and 4 (decommissioned).
    private const string OfNames = " WHERE l.structure IN (1, 4) AND l.id BETWEEN ?1 << 28 AND ?2 << 28 | 268435455 ORDER BY l.id";

    private const string Copies = "SELECT c.number, c.structure, c.version, c.source_epoch, c.source_ordinal, c.label, c.commitment, c.tag";
    private const string FromCopy = " FROM copy AS c";
    private const string JoinCopiedList = " LEFT JOIN copy_value AS v ON v.id = CASE c.structure WHEN 2 THEN c.id END";
    private const string JoinCopied = " LEFT JOIN copy_value AS v ON v.id = c.id";
    private const string OfPeriod = " WHERE c.id BETWEEN (?1 << 31 | ?2) AND (?1 << 31 | 2147483647) ORDER BY c.id LIMIT ?3";

    // The condition that copy d is a later row of the same key as copy c. It compares both the label's beginning, for the index, and the
    // whole label, because the index does not contain the rest.
    private const string TakesPlace =
        "d.period = c.period AND d.structure = c.structure AND substr(d.label, 1, 4) = substr(c.label, 1, 4) AND d.label = c.label AND d.id > c.id";

    public static Statements All { get; } = new()
    {
        Head = new("SELECT epoch, record_hash, published_epoch, fence, holder, lease_end FROM head"),
        Clock = new("SELECT clock_timestamp()"),
        Periods = new("SELECT period, state, first_epoch, copies, wrapped_secrets, configuration FROM period ORDER BY period"),
        Epochs = new("SELECT epoch, record, record_hash, checkpoint FROM epoch WHERE epoch BETWEEN ? AND ? ORDER BY epoch LIMIT ?"),
        AcquireLease = new(
            """
            UPDATE head SET fence = fence + 1, holder = ?1, lease_end = clock_timestamp() + ?2 WHERE holder = '' OR holder = ?1 OR lease_end <= clock_timestamp()
            RETURNING fence, lease_end
            """),
        RenewLease = new("UPDATE head SET lease_end = clock_timestamp() + ? WHERE fence = ? AND holder = ?"),
        ReleaseLease = new("UPDATE head SET lease_end = 0, holder = '' WHERE fence = ? AND holder = ?"),
        HoldLease = new("SELECT 1 FROM head WHERE fence = ? AND holder = ?"),
        LockLease = new("SELECT 1 FROM head WHERE fence = ? AND holder = ?"),
        LockHead = new("SELECT 1 FROM head"),
        CountPending = new("SELECT count(*) FROM (SELECT 1 FROM pending LIMIT ?)"),
        FollowsHead = new($"SELECT 1 FROM head WHERE {HeadCondition}"),
        MoveHead = new($"UPDATE head SET epoch = ?1, record_hash = ?5 WHERE {HeadCondition}"),
        InsertEpoch = new("INSERT INTO epoch (epoch, leaves, value_bytes, record_hash, record) VALUES (?, ?, ?, ?, ?)"),
        MoveHeadToGenesis = new("UPDATE head SET epoch = 0, record_hash = ? WHERE epoch IS NULL AND fence = ? AND holder = ?"),
        InsertPeriod = new(
            "INSERT INTO period (period, state, first_epoch, copies, wrapped_secrets, configuration) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"),
        HasEpoch = new("SELECT 1 FROM epoch WHERE epoch = ? AND record_hash = ?"),
        StoreCheckpoint = new(
            "UPDATE epoch SET checkpoint = ? WHERE epoch = ? AND record_hash = ? AND EXISTS (SELECT 1 FROM head WHERE fence = ? AND holder = ?)"),
        // A constraint of the table allows only published_epoch = epoch or epoch - 1, so this statement increases published_epoch by one or
        // not at all.
        Publish = new(
            """
            UPDATE head SET published_epoch = ?1 WHERE epoch = ?1 AND fence = ?2 AND holder = ?3
            AND EXISTS (SELECT 1 FROM epoch WHERE epoch = ?1 AND checkpoint IS NOT NULL)
            """),
        // The join begins with the leaves, because the table of outcomes has no index by epoch.
        PublishedRequests = new(
            """
            SELECT r.seq, r.body_hash FROM leaf AS l LEFT JOIN request AS r ON r.request_id = l.request_id WHERE l.id BETWEEN ?1 << 28 AND ?1 << 28 | 268435455 ORDER BY l.id
            """),
        ItemsWithoutLeaves = new(
            """
            SELECT o.seq, o.item, o.refusal, o.refused_item, o.current_period, o.current_version, r.request_id, r.body_hash
            FROM outcome AS o JOIN request AS r ON r.seq = o.id >> 8 WHERE o.epoch = ? AND o.refusal IS NOT NULL ORDER BY o.id
            """),
        // ForgetRequests runs after this statement and selects the same requests, because deleting outcomes does not change which requests
        // are the oldest.
        ForgetOutcomes = new(
            $"DELETE FROM outcome WHERE id IN (SELECT o.id FROM ({Oldest}) AS f CROSS JOIN outcome AS o WHERE o.id BETWEEN f.seq << 8 AND f.seq << 8 | 255)"),
        ForgetRequests = new($"DELETE FROM request WHERE seq IN ({Oldest})"),
        Status = new(
            """
            SELECT h.published_epoch, EXISTS (SELECT 1 FROM pending WHERE id BETWEEN r.seq << 8 AND r.seq << 8 | 255), o.epoch, o.refusal, o.refused_item, o.current_period,
                   o.current_version, o.ordinal, l.structure, l.period, l.version, v.key
            FROM request AS r CROSS JOIN head AS h LEFT JOIN outcome AS o ON o.id BETWEEN r.seq << 8 AND r.seq << 8 | 255
            LEFT JOIN leaf AS l ON l.id = (o.epoch << 28 | o.ordinal) LEFT JOIN value AS v ON v.id = l.id
            WHERE r.request_id = ? ORDER BY o.id
            """),
        EraseValues = new(
            "DELETE FROM value WHERE id IN (SELECT leaf FROM erasure WHERE id BETWEEN ?1 << 28 AND ?1 << 28 | 268435455 AND period IS NULL)"),
        EraseCopies = new(
            "DELETE FROM copy_value WHERE id IN (SELECT leaf FROM erasure WHERE id BETWEEN ?1 << 28 AND ?1 << 28 | 268435455 AND period IS NOT NULL)"),
        HasCopies = new("SELECT EXISTS (SELECT 1 FROM copy)"),
        CopiesOf = new(
            $"""
            SELECT c.period, c.number, EXISTS (SELECT 1 FROM copy_value WHERE id = c.id), EXISTS (SELECT 1 FROM copy AS d WHERE {TakesPlace})
            FROM copy AS c WHERE c.source_epoch = ?1 AND c.source_ordinal = ?3 AND (?1 > 0 OR c.id >> 31 = ?2 + 1) ORDER BY c.id
            """),
        SourceOf = new(
            """
            SELECT source_epoch, source_ordinal,
                   CASE WHEN source_epoch > 0 THEN EXISTS (SELECT 1 FROM value WHERE id = (source_epoch << 28 | source_ordinal))
                     ELSE EXISTS (SELECT 1 FROM copy_value WHERE id = (?1 - 1 << 31 | source_ordinal)) END
            FROM copy WHERE copy.id = (?1 << 31 | ?2) AND version > 0
            """),
        Erasures = new(
            """
            SELECT e.decided_in, e.number, e.epoch, e.period, e.ordinal, e.request_id, e.item, coalesce(l.structure, c.structure), coalesce(l.label, c.label), coalesce(l.commitment, c.commitment)
            FROM erasure AS e LEFT JOIN leaf AS l ON l.id = CASE WHEN e.period IS NULL THEN e.leaf END LEFT JOIN copy AS c ON c.id = CASE WHEN e.period IS NOT NULL THEN e.leaf END
            WHERE e.id BETWEEN (?1 << 28 | ?2) AND (min(?3, 34359738367) << 28 | 268435455) ORDER BY e.id LIMIT ?4
            """),
        Receipt = new(
            $"""
            SELECT coalesce(l.structure, c.structure), coalesce(l.period, c.period), coalesce(l.version, 1), coalesce(l.epoch, p.first_epoch)
            FROM erasure AS e LEFT JOIN leaf AS l ON l.id = CASE WHEN e.period IS NULL THEN e.leaf END LEFT JOIN copy AS c ON c.id = CASE WHEN e.period IS NOT NULL THEN e.leaf END
            LEFT JOIN period AS p ON p.period = c.period AND p.first_epoch <= e.decided_in
            WHERE e.id BETWEEN ?1 << 28 AND ?1 << 28 | 268435455 AND e.request_id = ?2 AND ?1 <= (SELECT published_epoch FROM head) AND (l.id IS NOT NULL OR p.period IS NOT NULL AND NOT EXISTS (SELECT 1 FROM copy AS d WHERE {TakesPlace}))
            ORDER BY e.id
            """),
        LeafAt = new(
            "SELECT l.structure, l.label, v.id IS NOT NULL FROM leaf AS l LEFT JOIN value AS v ON v.id = l.id WHERE l.id = (?1 << 28 | ?2)"),
        ValueAt = new("SELECT value FROM value WHERE id = (?1 << 28 | ?2)"),
        EpochSizes = new("SELECT epoch, leaves, value_bytes FROM epoch WHERE epoch BETWEEN ? AND ? ORDER BY epoch LIMIT ?"),
        LeavesOfTrees = new(Trees + FromLeaf + OfEpochs),
        LeavesWithLists = new(Trees + Values + FromLeaf + JoinList + OfEpochs),
        LeavesWithValues = new(Trees + Values + FromLeaf + JoinValue + OfEpochs),
        WholeLeaves = new(Trees + Values + ", l.item, l.request_id, v.key" + FromLeaf + JoinValue + OfEpochs),
        NamesOfTrees = new(Trees + FromLeaf + OfNames),
        NamesWithValues = new(Trees + Values + FromLeaf + JoinValue + OfNames),
        StoredEpochs = new(
            "SELECT epoch, record, record_hash, checkpoint, leaves, value_bytes FROM epoch WHERE epoch >= ? ORDER BY epoch LIMIT ?"),
        StoredLeaves = new(
            """
            SELECT l.epoch, l.ordinal, l.structure, l.period, l.version, l.label, l.commitment, l.tag, l.request_id, l.item, v.opening, v.key, v.value
            FROM leaf AS l LEFT JOIN value AS v ON v.id = l.id WHERE l.id >= (?1 << 28 | ?2) ORDER BY l.id LIMIT ?3
            """),
        CountValues = new("SELECT count(*) FROM value"),
        EndPeriod = new("UPDATE period SET state = 3 WHERE period = ? AND state = 2"),
        StartPeriod = new(
            """
            UPDATE period SET state = 2, first_epoch = ?2, copies = ?3 WHERE period = ?1 AND state = 1
            AND ?3 = coalesce((SELECT (max(id) & 2147483647) + 1 FROM copy WHERE id BETWEEN ?1 << 31 AND ?1 << 31 | 2147483647), 0)
            """),
        DestroySecrets = new("UPDATE period SET state = 4, wrapped_secrets = x'' WHERE period = ? AND state = 3"),
        RewrapSecrets = new("UPDATE period SET wrapped_secrets = ?3 WHERE period = ?1 AND wrapped_secrets = ?2"),
        DestroyCopies = new(
            "DELETE FROM copy_value WHERE id IN (SELECT id FROM copy_value WHERE id BETWEEN ?1 << 31 AND ?1 << 31 | 2147483647 ORDER BY id LIMIT ?2)"),
        LeftToDestroy = new(
            "SELECT coalesce(p.destroyed_before, p.first_epoch), n.first_epoch FROM period AS p JOIN period AS n ON n.period = p.period + 1 WHERE p.period = ?"),
        DestroyLeaves = new(
            """
            DELETE FROM value WHERE id IN (
              SELECT v.id FROM leaf AS l CROSS JOIN value AS v ON v.id = l.id WHERE l.id BETWEEN ?1 << 28 AND ?2 << 28 | 268435455 AND l.structure IN (2, 3))
            """),
        SetDestroyedBefore = new("UPDATE period SET destroyed_before = ?2 WHERE period = ?1 AND state = 4"),
        EndDestroying = new(
            """
            UPDATE period SET state = 5 WHERE period = ?1 AND state = 4 AND length(wrapped_secrets) = 0
            AND NOT EXISTS (SELECT 1 FROM copy_value WHERE id BETWEEN ?1 << 31 AND ?1 << 31 | 2147483647)
            """),
        NextCopy = new(
            """
            SELECT p.state, coalesce((SELECT (max(id) & 2147483647) + 1 FROM copy WHERE id BETWEEN p.period << 31 AND p.period << 31 | 2147483647), 0) FROM period AS p WHERE p.period = ?
            """),
        HasCopy = new("SELECT 1 FROM copy WHERE id = (?1 << 31 | ?2) AND label = ?3 AND commitment = ?4"),
        // The statement also compares the whole label, because the index only has its beginning.
        FindCopy = new(
            """
            SELECT id & 2147483647, version, EXISTS (SELECT 1 FROM copy_value WHERE id = c.id) FROM copy AS c
            WHERE period = ?1 AND structure = ?2 AND label = ?3 AND substr(label, 1, 4) = substr(?3, 1, 4) ORDER BY id DESC LIMIT 1
            """),
        CopyValueAt = new("SELECT value FROM copy_value WHERE id = (?1 << 31 | ?2)"),
        CountSources = new(
            """
            SELECT count(*) FROM copy AS c JOIN copy_value AS x ON x.id = c.id
            LEFT JOIN value AS v ON v.id = CASE WHEN c.source_epoch > 0 THEN c.source_epoch << 28 | c.source_ordinal END
            LEFT JOIN copy_value AS s ON s.id = CASE WHEN c.source_epoch = 0 THEN (c.id >> 31) - 1 << 31 | c.source_ordinal END
            WHERE c.id BETWEEN (?1 << 31 | ?2) AND (?1 << 31 | 2147483647) AND (v.id IS NOT NULL OR s.id IS NOT NULL)
            """),
        Superseded = new(
            $"""
            SELECT DISTINCT c.number FROM copy AS d CROSS JOIN copy AS c WHERE d.id BETWEEN (?1 << 31 | ?2) AND (?1 << 31 | ?3) AND {TakesPlace} ORDER BY c.number
            """),
        DropSuperseded = new(
            $"""
            DELETE FROM copy_value WHERE id IN (SELECT c.id FROM copy AS d CROSS JOIN copy AS c WHERE d.id BETWEEN (?1 << 31 | ?2) AND (?1 << 31 | 2147483647) AND {TakesPlace})
            """),
        CopiesOfTrees = new(Copies + FromCopy + OfPeriod),
        CopiesWithLists = new(Copies + Values + FromCopy + JoinCopiedList + OfPeriod),
        CopyValues = new("SELECT v.id & 2147483647" + Values
            + ", v.key FROM copy_value AS v WHERE v.id BETWEEN (?1 << 31 | ?2) AND (?1 << 31 | ?3) ORDER BY v.id"),
        StoredCopies = new(
            """
            SELECT c.period, c.number, c.structure, c.version, c.source_epoch, c.source_ordinal, c.label, c.commitment, c.tag, v.opening, v.key, v.value
            FROM copy AS c LEFT JOIN copy_value AS v ON v.id = c.id WHERE c.id >= (?1 << 31 | ?2) ORDER BY c.id LIMIT ?3
            """),
        CountCopyValues = new("SELECT count(*) FROM copy_value"),
        RequestSwitch = new("INSERT INTO switch_request (period) VALUES (?) ON CONFLICT DO NOTHING"),
        RequestedSwitch = new("SELECT r.period FROM switch_request AS r JOIN period AS p ON p.period = r.period - 1 WHERE p.state = 2"),
        StoredRequests = new("SELECT seq, request_id, body_hash FROM request WHERE seq > ? ORDER BY seq LIMIT ?"),
        StoredPending = new(
            $"SELECT seq, item, structure, key, value, expected_period, expected_version, NULL FROM pending WHERE {Between} ORDER BY id"),
        StoredOutcomes = new(
            $"""
            SELECT o.seq, o.item, o.epoch, o.ordinal, o.refusal, o.refused_item, o.current_period, o.current_version, l.request_id, l.item
            FROM (SELECT * FROM outcome WHERE {Between}) AS o LEFT JOIN leaf AS l ON l.id = (o.epoch << 28 | o.ordinal) ORDER BY o.id
            """),
        HasRows = new(
            """
            SELECT EXISTS (SELECT 1 FROM request) OR EXISTS (SELECT 1 FROM pending) OR EXISTS (SELECT 1 FROM outcome) OR EXISTS (SELECT 1 FROM leaf) OR EXISTS (SELECT 1 FROM value)
            OR EXISTS (SELECT 1 FROM epoch) OR EXISTS (SELECT 1 FROM erasure) OR EXISTS (SELECT 1 FROM period) OR EXISTS (SELECT 1 FROM copy) OR EXISTS (SELECT 1 FROM copy_value)
             OR EXISTS (SELECT 1 FROM head WHERE epoch IS NOT NULL OR holder <> '')
            """),
        SetHead = new("UPDATE head SET epoch = ?, record_hash = ?, published_epoch = ?, fence = ?, holder = '', lease_end = 0"),
    };
}
