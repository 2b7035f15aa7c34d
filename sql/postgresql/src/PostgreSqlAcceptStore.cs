using Npgsql;
using NpgsqlTypes;
using Optiks.Storage.PostgreSql.Engine;

namespace Optiks.Storage.PostgreSql;

/// <summary>
/// PostgreSqlAcceptStore is the update-service's view. A group of which nothing is refused or known takes one round trip, its commit included: the statement itself finds out whether
/// there is anything to decide, and stores all or nothing. Only then the rules of <see cref="AcceptPlan"/> are gone through, request by request.
/// </summary>
internal sealed class PostgreSqlAcceptStore : PostgreSqlHeadReader, IAcceptStore
{
    private const string Lock = $"SELECT pg_advisory_xact_lock({AdvisoryLocks.Accept})";

    // The same rules as AcceptPlan's, for all requests at once. $10 and $11: earliest and latest time of an id; $12: occurrence of an item's key; $13 to $15: the floor.
    private static readonly string s_storePlain =
        $"""
        WITH verdict AS MATERIALIZED (
          SELECT NOT EXISTS (SELECT FROM request WHERE request_id = ANY ($1))
            AND $10 >= clock_timestamp() - interval '{Limits.RequestIdBehind.TotalSeconds} s' AND $11 <= clock_timestamp() + interval '{Limits.RequestIdAhead.TotalSeconds} s'
            AND NOT EXISTS (
              SELECT FROM unnest($5, $8, $12) AS i (structure, key, occurrence)
              WHERE i.occurrence + (SELECT count(*) FROM pending AS p WHERE p.structure = i.structure AND p.key = i.key) > {Limits.PendingPerKey})
            AND EXISTS (SELECT FROM head WHERE one = 1 AND coalesce(epoch + 1, 0) >= $13 AND ($14 IS NULL OR epoch IS DISTINCT FROM $14 OR record_hash = $15)) AS plain
        ),
        {AcceptColumns.Store}
        SELECT plain FROM verdict
        """;

    private static readonly string s_store = $"WITH verdict AS (SELECT true AS plain), {AcceptColumns.Store} SELECT FROM verdict";

    public PostgreSqlAcceptStore(Database database)
        : base(database)
    {
    }

    /// <inheritdoc/>
    public async Task<IReadOnlyList<AcceptResult>> AcceptAsync(IReadOnlyList<AcceptUnit> units, HeadFloor floor, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(floor);
        // The caller's errors are found before a connection is taken.
        AcceptPlan.ThrowIfInvalid(units);
        var columns = new AcceptColumns([.. units.SelectMany(unit => unit.Requests)]);
        if (columns.IsPlain && await Database.RepeatAsync((connection, cancel) => StorePlainAsync(connection, columns, floor, cancel), cancellationToken))
        {
            var accepted = new AcceptResult[units.Count];
            Array.Fill(accepted, new AcceptResult(AcceptStatus.Accepted));
            return accepted;
        }
        return await Database.WriteAsync<IReadOnlyList<AcceptResult>>(
            async (connection, cancel) =>
            {
                // A plan decides once: a second try makes its own.
                var plan = new AcceptPlan(units, floor);
                IReadOnlyList<AcceptResult> results = await DecideAsync(connection, plan, cancel);
                if (plan.NewRequests.Count > 0)
                {
                    await using NpgsqlCommand store = connection.Command(s_store);
                    new AcceptColumns(plan.NewRequests).AddTo(store.Parameters);
                    _ = await store.ExecuteNonQueryAsync(cancel);
                }
                return new WriteResult<IReadOnlyList<AcceptResult>>(results, Commit: plan.NewRequests.Count > 0);
            },
            resolve: null,
            cancellationToken);
    }

    /// <inheritdoc/>
    public Task<RequestStatus?> ReadStatusAsync(Guid requestId, CancellationToken cancellationToken) =>
        Database.ReadAsync((connection, cancel) => RequestStatusReader.ReadAsync(connection, requestId, cancel), cancellationToken);

    // One batch is one transaction, which is committed at its end. May be repeated when its answer is lost: then the ids are known, and the plan finds their content.
    private static async Task<bool> StorePlainAsync(NpgsqlConnection connection, AcceptColumns columns, HeadFloor floor, CancellationToken cancellationToken)
    {
        await using var batch = new NpgsqlBatch(connection);
        // First: the statement after it sees what was committed before the lock was got.
        _ = batch.Add(Lock);
        NpgsqlBatchCommand store = batch.Add(s_storePlain);
        columns.AddTo(store.Parameters);
        store.Parameters.Add(Commands.Time(columns.Earliest));
        store.Parameters.Add(Commands.Time(columns.Latest));
        store.Parameters.Add(columns.Occurrence);
        store.Parameters.Add(Commands.Bigint(floor.Epochs));
        store.Parameters.Add(floor.Epoch is { } epoch ? Commands.Bigint(epoch) : Commands.Null(NpgsqlDbType.Bigint));
        store.Parameters.Add(Commands.Bytea(floor.RecordHash));
        await using NpgsqlDataReader reader = await batch.ExecuteReaderAsync(cancellationToken);
        _ = await reader.NextResultAsync(cancellationToken);
        bool isPlain = await reader.ReadAsync(cancellationToken) && reader.GetBoolean(0);
        // To the end: only there the server has answered the commit.
        _ = await reader.NextResultAsync(cancellationToken);
        return isPlain;
    }

    private static async Task<IReadOnlyList<AcceptResult>> DecideAsync(NpgsqlConnection connection, AcceptPlan plan, CancellationToken cancellationToken)
    {
        UpdateKey[] keys = [.. plan.Keys];
        await using var batch = new NpgsqlBatch(connection);
        _ = batch.Add(Lock);
        _ = batch.Add("SELECT clock_timestamp()");
        _ = batch.Add(HeadColumns);
        _ = batch.Add("SELECT request_id, body_hash FROM request WHERE request_id = ANY ($1)", Commands.List(plan.RequestIds.ToArray(), NpgsqlDbType.Uuid));
        _ = batch.Add(
            "SELECT (SELECT count(*) FROM pending AS p WHERE p.structure = k.structure AND p.key = k.key) FROM unnest($1, $2) WITH ORDINALITY AS k (structure, key, number) ORDER BY k.number",
            Commands.List(Array.ConvertAll(keys, key => (short)key.Structure), NpgsqlDbType.Smallint),
            Commands.List(Array.ConvertAll(keys, key => key.Key), NpgsqlDbType.Bytea));
        await using NpgsqlDataReader reader = await batch.ExecuteReaderAsync(cancellationToken);
        _ = await reader.NextResultAsync(cancellationToken);
        _ = await reader.ReadAsync(cancellationToken);
        DateTimeOffset now = reader.Time(0);
        _ = await reader.NextResultAsync(cancellationToken);
        Head head = await ReadHeadAsync(reader, cancellationToken);
        _ = await reader.NextResultAsync(cancellationToken);
        var known = new Dictionary<Guid, ReadOnlyMemory<byte>>();
        while (await reader.ReadAsync(cancellationToken))
        {
            known.Add(reader.GetGuid(0), reader.Octets(1));
        }
        _ = await reader.NextResultAsync(cancellationToken);
        var pending = new Dictionary<UpdateKey, int>();
        for (int i = 0; await reader.ReadAsync(cancellationToken); i++)
        {
            if (reader.GetInt64(0) is > 0 and long count)
            {
                pending.Add(keys[i], checked((int)count));
            }
        }
        return plan.Decide(known, pending, now, head);
    }
}
