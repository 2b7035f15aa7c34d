using Npgsql;
using NpgsqlTypes;

namespace Optiks.Storage.PostgreSql.Engine;

/// <summary>A pooled connection with its transaction. Not thread-safe.</summary>
internal sealed class Session : ISession
{
    // The number of pending rows that one query returns, so that the server sends at most about this many rows that the selection does not
    // need. The number is limited because values have up to 64 KiB.
    private const int PageRows = 2048;

    private static readonly Sql s_pendingPage = new(
        """
        SELECT seq, item, request_id, body_hash, structure, key, value, expected_period, expected_version
        FROM pending WHERE (seq, item) > ($1, $2) AND seq NOT IN (SELECT unnest($3)) ORDER BY seq, item LIMIT $4
        """);

    private static readonly Sql s_requests = new(
        "SELECT r.seq, r.request_id, r.body_hash FROM unnest($1) AS p (seq) CROSS JOIN LATERAL (SELECT * FROM request WHERE seq = p.seq OFFSET 0) AS r");

    // The name of the server's function that waits for synchronous standbys after a commit. If a time limit or a cancellation ends the
    // wait, the commit stands, and the server sends a warning. This class recognizes the warning by the function's name, because the
    // warning's text is in the server's language.
    private const string WaitForStandbys = "SyncRepWaitForLSN";

    private readonly Database _database;

    public Session(Database database, NpgsqlConnection connection)
    {
        _database = database;
        Connection = connection;
        connection.Notice += (_, e) => IsUnconfirmed |= e.Notice.Routine == WaitForStandbys;
    }

    public NpgsqlConnection Connection { get; }

    /// <summary>Whether the server reported a commit of this session as done before the synchronous standbys had confirmed it.</summary>
    public bool IsUnconfirmed { get; private set; }

    /// <inheritdoc/>
    public IDatabase Database => _database;

    /// <inheritdoc/>
    public async Task<int> ChangeAsync(Sql sql, CancellationToken cancellationToken, params Parameter[] parameters)
    {
        await using NpgsqlCommand command = Connection.Command(sql.Text, Commands.Parameters(parameters));
        await using NpgsqlDataReader reader = await command.ExecuteReaderAsync(cancellationToken);
        bool any = await reader.ReadAsync(cancellationToken);
        await reader.CloseAsync();
        return Math.Max(reader.RecordsAffected, any ? 1 : 0);
    }

    /// <inheritdoc/>
    public Task<IRows> QueryAsync(Sql sql, CancellationToken cancellationToken, params Parameter[] parameters) =>
        QueryAsync(sql, Commands.Parameters(parameters), cancellationToken);

    /// <inheritdoc/>
    public Task CopyAsync(Table table, int rows, Action<IRowWriter, int> write, CancellationToken cancellationToken) =>
        Copy.RowsAsync(Connection, table, rows, write, cancellationToken);

    /// <inheritdoc/>
    public async Task ReadPendingAsync(PendingSelection selection, CancellationToken cancellationToken)
    {
        if (selection.After == default)
        {
            // This selection begins before every row, so it does not continue an earlier selection, whose frontier may be out of date.
            _database.Frontier.Restart();
        }
        selection.ShowsAllThrough(_database.Frontier.Through);
        int rows = PageRows;
        while (rows == PageRows && !selection.IsFull)
        {
            await using IRows page = await QueryAsync(
                s_pendingPage,
                [
                    Commands.Bigint(selection.After.Sequence),
                    Commands.Integer(selection.After.Item),
                    Commands.List(selection.Underway.ToArray(), NpgsqlDbType.Bigint),
                    Commands.Integer(PageRows),
                ],
                cancellationToken);
            for (rows = 0; await page.ReadAsync(cancellationToken) && selection.TryAdd(StoredRows.PendingRow(page)); rows++)
            {
            }
        }
        await _database.Frontier.MoveAsync(Connection, selection.After.Sequence, cancellationToken);
    }

    /// <inheritdoc/>
    public async Task<(int Epochs, int Pending, int Heads)> FinishEpochAsync(
        Parameter[] epoch, IReadOnlyList<Outcome> outcomes, Parameter[] head, CancellationToken cancellationToken)
    {
        await using var batch = new NpgsqlBatch(Connection);
        NpgsqlBatchCommand insert = batch.Add(PostgreSqlStatements.All.InsertEpoch.Text, Commands.Parameters(epoch));
        // The statement is written so that the server looks up each row by its index. A join would scan the whole table for every row if
        // the table's statistics were from a time when it was empty.
        NpgsqlBatchCommand delete = batch.Add(
            """
            DELETE FROM pending WHERE ctid = ANY (ARRAY(
              SELECT p.ctid FROM unnest($1, $2, $3) AS d (seq, item, request_id)
              CROSS JOIN LATERAL (SELECT ctid FROM pending WHERE seq = d.seq AND item = d.item AND request_id = d.request_id OFFSET 0) AS p))
            """,
            Commands.List(outcomes, outcome => outcome.Sequence, NpgsqlDbType.Bigint),
            Commands.List(outcomes, outcome => (short)outcome.Item, NpgsqlDbType.Smallint),
            Commands.List(outcomes, outcome => outcome.RequestId, NpgsqlDbType.Uuid));
        NpgsqlBatchCommand move = batch.Add(PostgreSqlStatements.All.MoveHead.Text, Commands.Parameters(head));
        _ = await batch.ExecuteNonQueryAsync(cancellationToken);
        return (insert.RecordsAffected, delete.RecordsAffected, move.RecordsAffected);
    }

    /// <inheritdoc/>
    public async Task<IReadOnlyList<StoredRequest>> FindOrAddRequestsAsync(
        IReadOnlyDictionary<Guid, ReadOnlyMemory<byte>> bodyHashes, CancellationToken cancellationToken)
    {
        Guid[] ids = [.. bodyHashes.Keys];
        await using var batch = new NpgsqlBatch(Connection);
        _ = batch.Add($"SELECT pg_advisory_xact_lock({AdvisoryLocks.Accept})");
        _ = batch.Add(
            "INSERT INTO request (request_id, body_hash) SELECT * FROM unnest($1, $2) ON CONFLICT (request_id) DO NOTHING",
            Commands.List(ids, NpgsqlDbType.Uuid),
            Commands.List(bodyHashes.Values.ToArray(), NpgsqlDbType.Bytea));
        _ = batch.Add("SELECT seq, request_id, body_hash FROM request WHERE request_id = ANY ($1)", Commands.List(ids, NpgsqlDbType.Uuid));
        await using var rows = new Rows(await batch.ExecuteReaderAsync(cancellationToken));
        _ = await rows.Reader.NextResultAsync(cancellationToken);
        return await rows.ListAsync(StoredRows.ReadRequest, cancellationToken);
    }

    /// <inheritdoc/>
    public async Task<IReadOnlyDictionary<long, StoredRequest>?> FindRequestsAsync(long[] sequences, CancellationToken cancellationToken)
    {
        await using IRows rows = await QueryAsync(s_requests, [Commands.List(sequences, NpgsqlDbType.Bigint)], cancellationToken);
        return (await rows.ListAsync(StoredRows.ReadRequest, cancellationToken)).ToDictionary(request => request.Sequence);
    }

    private async Task<IRows> QueryAsync(Sql sql, NpgsqlParameter[] parameters, CancellationToken cancellationToken)
    {
        NpgsqlCommand command = Connection.Command(sql.Text, parameters);
        try
        {
            return new Rows(await command.ExecuteReaderAsync(cancellationToken), command);
        }
        catch
        {
            await command.DisposeAsync();
            throw;
        }
    }
}
