using System.Data;
using Npgsql;
using NpgsqlTypes;
using Optiks.Storage.PostgreSql.Engine;

namespace Optiks.Storage.PostgreSql;

/// <summary>
/// Implements the update-service's store. Storing a group without refused or known requests takes one round trip, including the commit: the
/// statement itself checks the group, and stores either the whole group or nothing. A large group is instead inserted first, by COPY and
/// concurrently with other groups, and checked afterwards. If a group has a refused or known request, this class applies the rules of
/// <see cref="AcceptPlan"/> to it, request by request.
/// </summary>
internal sealed class PostgreSqlAcceptStore : AcceptStore
{
    private const string Lock = $"SELECT pg_advisory_xact_lock({AdvisoryLocks.Accept})";
    private const string LockShared = $"SELECT pg_advisory_xact_lock_shared({AdvisoryLocks.Accept})";
    private const string LockJudge = $"SELECT pg_advisory_xact_lock({AdvisoryLocks.Judge})";

    // Writes an entry to the server's log. The rows of known requests are visible, but may exist only on this server. Once the synchronous
    // standbys confirm this later entry, they have those rows too.
    private const string Mark = "SELECT pg_logical_emit_message(true, 'optiks', ''::text)";

    // The number of items from which on COPY is cheaper than a statement with arrays, although COPY takes a few more round trips.
    private const int CopiedItems = 256;

    // The number of items from which on COPY takes much longer than its round trips, so that running it concurrently with other groups
    // saves time.
    private const int ConcurrentItems = 512;

    private static readonly string s_storePlain =
        $"""
        WITH verdict AS MATERIALIZED (
          SELECT NOT EXISTS (SELECT FROM request WHERE request_id = ANY ($8)) AND {AcceptColumns.Verdict} AS plain
        ),
        {AcceptColumns.Store}
        SELECT plain FROM verdict
        """;

    // Ends the sessions of update-services that were paused during a COPY, because these sessions block services that need the exclusive
    // lock. None of the server's timeouts ends a COPY that waits for its client, because such a session's state is active. This statement
    // ends only sessions that have waited so long that a running driver would have given up.
    private static readonly Sql s_endStalled = new(
        $"""
        SELECT count(pg_terminate_backend(a.pid)) FROM (SELECT pid FROM pg_locks WHERE {AdvisoryLocks.HoldsAccept}) AS l JOIN pg_stat_activity AS a ON a.pid = l.pid
        WHERE a.usename = current_user AND a.state = 'active' AND a.wait_event = 'ClientRead' AND a.query_start < clock_timestamp() - interval '{PostgreSqlSettings.CommandSeconds} s'
        """);

    private static readonly string s_verdict = $"SELECT {AcceptColumns.Verdict}";

    // Whether the last group that this store decided request by request had a refused request. If so, the store decides the next large
    // group in the same way, because a COPY would probably be in vain.
    private volatile bool _somethingRefused;

    private readonly Database _database;

    public PostgreSqlAcceptStore(Database database)
        : base(database) => _database = database;

    /// <inheritdoc/>
    public override int? ConcurrentUpdates => ConcurrentItems;

    /// <inheritdoc/>
    public override async Task<IReadOnlyList<AcceptResult>> AcceptAsync(
        IReadOnlyList<AcceptUnit> units, HeadFloor floor, CancellationToken cancellationToken)
    {
        try
        {
            return await StoreAsync(units, floor, cancellationToken);
        }
        catch (StorageUnavailableException e) when (e.InnerException is PostgresException { SqlState: PostgresErrorCodes.LockNotAvailable })
        {
            await _database.RepeatAsync((session, cancel) => session.ChangeAsync(s_endStalled, cancel), cancellationToken);
            throw;
        }
    }

    /// <inheritdoc/>
    /// <remarks>
    /// Large groups commit in any order, but all of their transactions share one lock. So once this method has briefly held that lock
    /// exclusively, every transaction that drew a number earlier has ended. The count itself runs without the lock and blocks no
    /// transaction.
    /// </remarks>
    public override Task<long> CountPendingAsync(long atMost, CancellationToken cancellationToken) => _database.RepeatAsync(
        async (session, cancel) =>
        {
            await using NpgsqlCommand wait = session.Connection.Command(Lock);
            _ = await wait.ExecuteNonQueryAsync(cancel);
            await using NpgsqlCommand count = session.Connection.Command(
                PostgreSqlStatements.All.CountPending.Text, Commands.Bigint(atMost));
            return (long)(await count.ExecuteScalarAsync(cancel))!;
        },
        cancellationToken);

    private async Task<IReadOnlyList<AcceptResult>> StoreAsync(
        IReadOnlyList<AcceptUnit> units, HeadFloor floor, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(floor);
        // Invalid units throw here, before this method takes a connection from the pool.
        AcceptPlan.ThrowIfInvalid(units);
        var group = new AcceptGroup([.. units.SelectMany(unit => unit.Requests)]);
        bool isLarge = group.Items.Count >= CopiedItems;
        Func<NpgsqlConnection, AcceptGroup, HeadFloor, CancellationToken, Task<bool>> tryStore = isLarge ? CopyPlainAsync : StorePlainAsync;
        if (group.IsPlain && !(isLarge && _somethingRefused)
            && await _database.RepeatAsync((session, cancel) => tryStore(session.Connection, group, floor, cancel), cancellationToken))
        {
            return Accepted(units.Count);
        }
        return await _database.WriteAsync<IReadOnlyList<AcceptResult>>(
            async (session, cancel) =>
            {
                // A plan can decide only once, so each attempt creates a new plan.
                var plan = new AcceptPlan(units, floor);
                IReadOnlyList<AcceptResult> results = plan.Decide(await ReadStateAsync(session.Connection, group, cancel));
                _somethingRefused = results.Any(result => result.Status != AcceptStatus.Accepted);
                bool vouches = results.Any(result => result.Status == AcceptStatus.Accepted);
                if (plan.NewRequests.Count > 0)
                {
                    await AcceptColumns.CopyAsync(session.Connection, Lock, new AcceptGroup(plan.NewRequests), cancel);
                }
                else if (vouches)
                {
                    await using NpgsqlCommand mark = session.Connection.Command(Mark);
                    _ = await mark.ExecuteNonQueryAsync(cancel);
                }
                return new WriteResult<IReadOnlyList<AcceptResult>>(results, Commit: vouches);
            },
            resolve: null,
            cancellationToken);
    }

    // Stores a group whose requests are all new and acceptable; returns false if it stored nothing. The batch is one transaction, which is
    // committed at its end. The caller may repeat the batch if its answer is lost: if the ids are then known, the plan compares the
    // requests' content.
    private static async Task<bool> StorePlainAsync(
        NpgsqlConnection connection, AcceptGroup group, HeadFloor floor, CancellationToken cancellationToken)
    {
        await using var batch = new NpgsqlBatch(connection);
        // The lock has a statement of its own, so that the next statement sees everything that was committed before the lock was taken.
        _ = batch.Add(Lock);
        NpgsqlBatchCommand store = batch.Add(s_storePlain);
        AcceptColumns.AddVerdictTo(store.Parameters, group, floor, isInserted: false);
        AcceptColumns.AddStoreTo(store.Parameters, group);
        Task<NpgsqlDataReader> executing = batch.ExecuteReaderAsync(cancellationToken);
        // From here on, the server completes the batch even if this process dies.
        FailPoints.Hit(FailPoints.Draw);
        await using NpgsqlDataReader reader = await executing;
        _ = await reader.NextResultAsync(cancellationToken);
        bool isPlain = await reader.ReadAsync(cancellationToken) && reader.GetBoolean(0);
        // The results must be read to the end, because only then has the server confirmed the commit.
        _ = await reader.NextResultAsync(cancellationToken);
        return isPlain;
    }

    // Stores a large group as a whole or not at all, concurrently with other groups; only the check and the commit run for one group at a
    // time. This method does not look up known ids, because inserting a known id fails, and then nothing is stored. The caller may repeat
    // the call if its answer is lost.
    private static async Task<bool> CopyPlainAsync(
        NpgsqlConnection connection, AcceptGroup group, HeadFloor floor, CancellationToken cancellationToken)
    {
        await using NpgsqlTransaction transaction = await connection.BeginTransactionAsync(IsolationLevel.ReadCommitted, cancellationToken);
        try
        {
            await AcceptColumns.CopyAsync(connection, LockShared, group, cancellationToken);
        }
        catch (PostgresException e) when (e.SqlState == PostgresErrorCodes.UniqueViolation && e.ConstraintName == "pk_request")
        {
            return false;
        }
        await using var batch = new NpgsqlBatch(connection);
        _ = batch.Add(LockJudge);
        AcceptColumns.AddVerdictTo(batch.Add(s_verdict).Parameters, group, floor, isInserted: true);
        await using (NpgsqlDataReader reader = await batch.ExecuteReaderAsync(cancellationToken))
        {
            _ = await reader.NextResultAsync(cancellationToken);
            if (!await reader.ReadAsync(cancellationToken) || !reader.GetBoolean(0))
            {
                return false;
            }
        }
        await transaction.CommitAsync(cancellationToken);
        return true;
    }

    private async Task<AcceptState> ReadStateAsync(NpgsqlConnection connection, AcceptGroup group, CancellationToken cancellationToken)
    {
        IReadOnlyList<(UpdateKey Key, int Occurrences)> keys = group.Keys();
        await using var batch = new NpgsqlBatch(connection);
        _ = batch.Add(Lock);
        _ = batch.Add(PostgreSqlStatements.All.Clock.Text);
        _ = batch.Add(PostgreSqlStatements.All.Head.Text);
        _ = batch.Add(
            """
            SELECT k.number::integer - 1, (SELECT count(*) FROM pending AS p WHERE p.structure = k.structure AND p.key = k.key)
            FROM unnest($1, $2) WITH ORDINALITY AS k (structure, key, number)
            """,
            Commands.List(keys, key => (short)key.Key.Structure, NpgsqlDbType.Smallint),
            Commands.List(keys, key => key.Key.Key, NpgsqlDbType.Bytea));
        _ = batch.Add("SELECT request_id, body_hash FROM request WHERE request_id = ANY ($1)",
            Commands.List(group.Requests, request => request.RequestId, NpgsqlDbType.Uuid));
        await using var rows = new Rows(await batch.ExecuteReaderAsync(cancellationToken));
        _ = await rows.Reader.NextResultAsync(cancellationToken);
        return await rows.ReadAcceptStateAsync(keys, Database.Location, cancellationToken);
    }
}
