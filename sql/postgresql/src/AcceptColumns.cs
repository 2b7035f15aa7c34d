using Npgsql;
using NpgsqlTypes;
using Optiks.Storage.PostgreSql.Engine;

namespace Optiks.Storage.PostgreSql;

/// <summary>
/// Stores a group of requests as arrays of columns, either with one statement (<see cref="Verdict"/>, <see cref="Store"/>) or by COPY
/// (<see cref="CopyAsync"/>). The sequence numbers carry the order of acceptance.
/// </summary>
internal static class AcceptColumns
{
    /// <summary>
    /// An SQL condition on the group's columns and the floor, parameters $1 to $7. If it is evaluated before the rows are inserted, it says
    /// whether the whole group can be stored, provided that no request id is known. If it is evaluated afterwards, it says whether the rows
    /// may stay. It applies the rules of <see cref="AcceptPlan"/> to all requests at once, with one difference: before the insertion, it
    /// assumes that every key occurs as often as the group's most frequent key, so that one scan is enough.
    /// </summary>
    public static readonly string Verdict =
        $"""
        $3 >= clock_timestamp() - interval '{Limits.RequestIdBehind.TotalSeconds} s' AND $4 <= clock_timestamp() + interval '{Limits.RequestIdAhead.TotalSeconds} s'
          AND NOT EXISTS (SELECT FROM pending WHERE key = ANY ($1) GROUP BY key, structure HAVING count(*) + $2 > {Limits.PendingPerKey})
          AND EXISTS (SELECT FROM head WHERE one = 1 AND coalesce(epoch + 1, 0) >= $5 AND ($6 IS NULL OR epoch IS DISTINCT FROM $6 OR record_hash = $7))
        """;

    /// <summary>
    /// The part of a statement that stores the group's columns, parameters $1 and $8 to $17, if the preceding query <c>verdict (plain)</c>
    /// allows it. The statement draws all sequence numbers first, so that a row's number depends only on the row's index in the list, not
    /// on the order in which the server inserts rows.
    /// </summary>
    public const string Store =
        """
        number AS MATERIALIZED (
          SELECT array_agg(seq ORDER BY seq) AS seqs
          FROM (SELECT nextval('request_seq_seq') AS seq FROM generate_series(1, cardinality($8)) WHERE (SELECT plain FROM verdict)) AS drawn
        ),
        stored AS (
          INSERT INTO request (seq, request_id, body_hash)
          SELECT n.seqs[r.number], r.request_id, r.body_hash
          FROM number AS n, unnest($8, $9) WITH ORDINALITY AS r (request_id, body_hash, number)
          WHERE (SELECT plain FROM verdict)
        ),
        queued AS (
          INSERT INTO pending (seq, item, structure, expected_period, expected_version, key, value, request_id, body_hash)
          SELECT n.seqs[i.request], i.item, i.structure, i.expected_period, i.expected_version, i.key, i.value, i.request_id, i.body_hash
          FROM number AS n,
            unnest($10, $11, $12, $13, $14, $1, $15, $16, $17) AS i (request, item, structure, expected_period, expected_version, key, value, request_id, body_hash)
          WHERE (SELECT plain FROM verdict)
        )
        """;

    /// <summary>
    /// Adds the parameters of <see cref="Verdict"/> to a command that has no parameters yet. The parameter <paramref name="isInserted"/>
    /// says whether the group's rows are already inserted.
    /// </summary>
    public static void AddVerdictTo(NpgsqlParameterCollection parameters, AcceptGroup group, HeadFloor floor, bool isInserted)
    {
        parameters.Add(Commands.List(group.Items, item => item.Update.Key, NpgsqlDbType.Bytea));
        parameters.Add(Commands.Integer(isInserted ? 0 : group.MostOccurrences));
        parameters.Add(Commands.Time(group.Earliest));
        parameters.Add(Commands.Time(group.Latest));
        parameters.Add(Commands.Bigint(floor.Epochs));
        parameters.Add(floor.Epoch is { } epoch ? Commands.Bigint(epoch) : Commands.Null(NpgsqlDbType.Bigint));
        parameters.Add(Commands.Bytea(floor.RecordHash));
    }

    /// <summary>Adds the parameters of <see cref="Store"/> after the parameters of <see cref="Verdict"/>.</summary>
    public static void AddStoreTo(NpgsqlParameterCollection parameters, AcceptGroup group)
    {
        parameters.Add(Commands.List(group.Requests, request => request.RequestId, NpgsqlDbType.Uuid));
        parameters.Add(Commands.List(group.Requests, request => request.BodyHash, NpgsqlDbType.Bytea));
        // The number of the item's request in the SQL array, whose indexes begin with 1.
        parameters.Add(Commands.List(group.Items, item => item.Request + 1, NpgsqlDbType.Integer));
        parameters.Add(Commands.List(group.Items, item => (short)item.Item, NpgsqlDbType.Smallint));
        parameters.Add(Commands.List(group.Items, item => (short)item.Update.Structure, NpgsqlDbType.Smallint));
        parameters.Add(Commands.List(group.Items, item => checked((long?)item.Update.Expected?.Period), NpgsqlDbType.Bigint));
        parameters.Add(Commands.List(group.Items, item => checked((long?)item.Update.Expected?.Version), NpgsqlDbType.Bigint));
        parameters.Add(Commands.List(group.Items, item => item.Update.Value, NpgsqlDbType.Bytea));
        parameters.Add(Commands.List(group.Items, item => group.Requests[item.Request].RequestId, NpgsqlDbType.Uuid));
        parameters.Add(Commands.List(group.Items, item => group.Requests[item.Request].BodyHash, NpgsqlDbType.Bytea));
    }

    /// <summary>
    /// Stores a group by COPY inside a transaction. First runs the statement <paramref name="take"/>, which takes
    /// <see cref="AdvisoryLocks.Accept"/>, and then draws the sequence numbers. If an id already exists, the server reports a unique
    /// violation. If another transaction has inserted the same id but has not ended, the server waits for that transaction.
    /// </summary>
    public static async Task CopyAsync(NpgsqlConnection connection, string take, AcceptGroup group, CancellationToken cancellationToken)
    {
        await using var batch = new NpgsqlBatch(connection);
        _ = batch.Add(take);
        _ = batch.Add(
            "SELECT array_agg(seq ORDER BY seq) FROM (SELECT nextval('request_seq_seq') AS seq FROM generate_series(1, $1)) AS drawn",
            Commands.Integer(group.Requests.Count));
        long[] numbers;
        await using (NpgsqlDataReader reader = await batch.ExecuteReaderAsync(cancellationToken))
        {
            _ = await reader.NextResultAsync(cancellationToken);
            _ = await reader.ReadAsync(cancellationToken);
            numbers = reader.GetFieldValue<long[]>(0);
        }
        FailPoints.Hit(FailPoints.Draw);
        // Rows are inserted in the order of their ids. So if two transactions have ids in common, one of them waits for the other, and they
        // never deadlock.
        int[] order = [.. Enumerable.Range(0, numbers.Length)];
        Array.Sort(Array.ConvertAll(order, i => group.Requests[i].RequestId), order);
        await Copy.RowsAsync(
            connection,
            Table.Request,
            order.Length,
            (cells, row) =>
            {
                int i = order[row];
                cells.WriteInt64(numbers[i]);
                cells.WriteRequestId(group.Requests[i].RequestId);
                cells.WriteBytes(group.Requests[i].BodyHash);
            },
            cancellationToken);
        await Copy.RowsAsync(
            connection,
            Table.Pending,
            group.Items.Count,
            (cells, i) =>
            {
                (int request, int item, AcceptItem update) = group.Items[i];
                cells.WriteInt64(numbers[request]);
                cells.WriteInt16(item);
                cells.WriteInt16((int)update.Structure);
                cells.WriteUInt64(update.Expected?.Period);
                cells.WriteUInt64(update.Expected?.Version);
                cells.WriteBytes(update.Key);
                cells.WriteBytes(update.Value);
                cells.WriteRequestId(group.Requests[request].RequestId);
                cells.WriteBytes(group.Requests[request].BodyHash);
            },
            cancellationToken);
    }
}
