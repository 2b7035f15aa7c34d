using Npgsql;
using NpgsqlTypes;
using Optiks.Storage.PostgreSql.Engine;

namespace Optiks.Storage.PostgreSql;

/// <summary>PostgreSqlAcceptStore is the update-service's view.</summary>
internal sealed class PostgreSqlAcceptStore : PostgreSqlHeadReader, IAcceptStore
{
    public PostgreSqlAcceptStore(Database database)
        : base(database)
    {
    }

    /// <inheritdoc/>
    public Task<IReadOnlyList<AcceptResult>> AcceptAsync(IReadOnlyList<AcceptUnit> units, CancellationToken cancellationToken)
    {
        // The caller's errors are found before a connection is taken. A plan decides once: a second try makes its own.
        var first = new AcceptPlan(units);
        bool used = false;
        return Database.WriteAsync<IReadOnlyList<AcceptResult>>(
            async (connection, cancel) =>
            {
                AcceptPlan plan = used ? new AcceptPlan(units) : first;
                used = true;
                IReadOnlyList<AcceptResult> results = await DecideAsync(connection, plan, cancel);
                if (plan.NewRequests.Count > 0)
                {
                    await InsertAsync(connection, plan.NewRequests, cancel);
                }
                return new WriteResult<IReadOnlyList<AcceptResult>>(results, Commit: plan.NewRequests.Count > 0);
            },
            resolve: null,
            cancellationToken);
    }

    /// <inheritdoc/>
    public Task<RequestStatus?> ReadStatusAsync(Guid requestId, CancellationToken cancellationToken) =>
        Database.ReadAsync((connection, cancel) => RequestStatusReader.ReadAsync(connection, requestId, cancel), cancellationToken);

    private static async Task<IReadOnlyList<AcceptResult>> DecideAsync(NpgsqlConnection connection, AcceptPlan plan, CancellationToken cancellationToken)
    {
        UpdateKey[] keys = [.. plan.Keys];
        await using var batch = new NpgsqlBatch(connection);
        // First: each statement after it sees what was committed before the lock was got.
        _ = batch.Add($"SELECT pg_advisory_xact_lock({AdvisoryLocks.Accept})");
        _ = batch.Add("SELECT clock_timestamp()");
        _ = batch.Add("SELECT request_id, body_hash FROM request WHERE request_id = ANY ($1)", Commands.List(plan.RequestIds.ToArray(), NpgsqlDbType.Uuid));
        _ = batch.Add(
            """
            SELECT k.number, count(*)
            FROM unnest($1, $2) WITH ORDINALITY AS k (structure, key, number) JOIN pending AS p ON p.structure = k.structure AND p.key = k.key
            GROUP BY k.number
            """,
            Commands.List(Array.ConvertAll(keys, key => (short)key.Structure), NpgsqlDbType.Smallint),
            Commands.List(Array.ConvertAll(keys, key => key.Key), NpgsqlDbType.Bytea));
        await using NpgsqlDataReader reader = await batch.ExecuteReaderAsync(cancellationToken);
        _ = await reader.NextResultAsync(cancellationToken);
        _ = await reader.ReadAsync(cancellationToken);
        DateTimeOffset now = reader.Time(0);
        _ = await reader.NextResultAsync(cancellationToken);
        var known = new Dictionary<Guid, ReadOnlyMemory<byte>>();
        while (await reader.ReadAsync(cancellationToken))
        {
            known.Add(reader.GetGuid(0), reader.Octets(1));
        }
        _ = await reader.NextResultAsync(cancellationToken);
        var pending = new Dictionary<UpdateKey, int>();
        while (await reader.ReadAsync(cancellationToken))
        {
            pending.Add(keys[reader.GetInt64(0) - 1], checked((int)reader.GetInt64(1)));
        }
        return plan.Decide(known, pending, now);
    }

    private static async Task InsertAsync(NpgsqlConnection connection, IReadOnlyList<AcceptRequest> requests, CancellationToken cancellationToken)
    {
        int count = requests.Sum(request => request.Items.Count);
        var request = new int[count];
        var item = new short[count];
        var structure = new short[count];
        var period = new long?[count];
        var version = new long?[count];
        var key = new ReadOnlyMemory<byte>[count];
        var value = new ReadOnlyMemory<byte>[count];
        int row = 0;
        for (int i = 0; i < requests.Count; i++)
        {
            for (int j = 0; j < requests[i].Items.Count; j++, row++)
            {
                AcceptItem update = requests[i].Items[j];
                request[row] = i + 1;
                item[row] = (short)j;
                structure[row] = (short)update.Structure;
                period[row] = update.Expected is { } expected ? checked((long)expected.Period) : null;
                version[row] = update.Expected is { } latest ? checked((long)latest.Version) : null;
                key[row] = update.Key;
                value[row] = update.Value;
            }
        }
        // Numbers are drawn first, so that a row's place in the list alone decides its number, whatever order a plan inserts in.
        long[] sequences = await DrawAsync(connection, requests.Count, cancellationToken);
        await using var batch = new NpgsqlBatch(connection);
        _ = batch.Add(
            "INSERT INTO request (seq, request_id, body_hash) SELECT * FROM unnest($1, $2, $3)",
            Commands.List(sequences, NpgsqlDbType.Bigint),
            Commands.List(requests.Select(one => one.RequestId).ToArray(), NpgsqlDbType.Uuid),
            Commands.List(requests.Select(one => one.BodyHash).ToArray(), NpgsqlDbType.Bytea));
        _ = batch.Add(
            "INSERT INTO pending (seq, item, structure, expected_period, expected_version, key, value) SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7)",
            Commands.List(Array.ConvertAll(request, number => sequences[number - 1]), NpgsqlDbType.Bigint),
            Commands.List(item, NpgsqlDbType.Smallint),
            Commands.List(structure, NpgsqlDbType.Smallint),
            Commands.List(period, NpgsqlDbType.Bigint),
            Commands.List(version, NpgsqlDbType.Bigint),
            Commands.List(key, NpgsqlDbType.Bytea),
            Commands.List(value, NpgsqlDbType.Bytea));
        _ = await batch.ExecuteNonQueryAsync(cancellationToken);
    }

    private static async Task<long[]> DrawAsync(NpgsqlConnection connection, int count, CancellationToken cancellationToken)
    {
        await using NpgsqlCommand draw = connection.Command("SELECT array_agg(nextval('request_seq_seq')) FROM generate_series(1, $1)", Commands.Integer(count));
        var sequences = (long[])(await draw.ExecuteScalarAsync(cancellationToken))!;
        Array.Sort(sequences);
        return sequences;
    }
}
