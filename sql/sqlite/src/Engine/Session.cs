namespace Optiks.Storage.Sqlite.Engine;

/// <summary>
/// A connection with an open transaction. Calls complete synchronously, because SQLite runs in this process, on the calling thread. Only
/// one thread at a time may use it.
/// </summary>
internal sealed class Session : ISession
{
    private readonly Database _database;

    public Session(Database database, Connection connection)
    {
        _database = database;
        Connection = connection;
    }

    public Connection Connection { get; }

    /// <inheritdoc/>
    public IDatabase Database => _database;

    /// <inheritdoc/>
    public Task<int> ChangeAsync(Sql sql, CancellationToken cancellationToken, params Parameter[] parameters)
    {
        using Statement statement = Connection.Prepare(sql.Text);
        return Task.FromResult(statement.Bind(parameters).Execute());
    }

    /// <inheritdoc/>
    public Task<IRows> QueryAsync(Sql sql, CancellationToken cancellationToken, params Parameter[] parameters)
    {
        Statement statement = Connection.Prepare(sql.Text);
        try
        {
            return Task.FromResult<IRows>(statement.Bind(parameters));
        }
        catch
        {
            statement.Dispose();
            throw;
        }
    }

    /// <inheritdoc/>
    public Task CopyAsync(Table table, int rows, Action<IRowWriter, int> write, CancellationToken cancellationToken)
    {
        using Statement insert = Connection.Prepare(Insert(table));
        var cells = new Cells(insert);
        for (int i = 0; i < rows; i++)
        {
            cells.Begin();
            write(cells, i);
            _ = insert.Step();
            _ = insert.Reset();
        }
        return Task.CompletedTask;
    }

    /// <inheritdoc/>
    public Task ReadPendingAsync(PendingSelection selection, CancellationToken cancellationToken)
    {
        var skipped = new HashSet<long>(selection.Underway.Length);
        foreach (long sequence in selection.Underway)
        {
            _ = skipped.Add(sequence);
        }
        using Statement select = Connection.Prepare(
            """
            SELECT p.seq, p.item, r.request_id, r.body_hash, p.structure, p.key, p.value, p.expected_period, p.expected_version
            FROM pending AS p LEFT JOIN request AS r ON r.seq = p.id >> 8 WHERE p.id > ? ORDER BY p.id
            """);
        _ = select.Bind(1, RowIds.Item(selection.After.Sequence, selection.After.Item));
        while (!selection.IsFull && select.Step())
        {
            // The rows of an epoch that is not committed yet are skipped before their other columns are read, so that SQLite does not copy
            // their values.
            if (!skipped.Contains(select.GetInt64(0)))
            {
                _ = selection.TryAdd(StoredRows.PendingRow(select));
            }
        }
        return Task.CompletedTask;
    }

    /// <inheritdoc/>
    public async Task<(int Epochs, int Pending, int Heads)> FinishEpochAsync(
        Parameter[] epoch, IReadOnlyList<Outcome> outcomes, Parameter[] head, CancellationToken cancellationToken)
    {
        int inserted = await ChangeAsync(_database.Statements.InsertEpoch, cancellationToken, epoch);
        return (inserted, DeletePending(outcomes), await ChangeAsync(_database.Statements.MoveHead, cancellationToken, head));
    }

    /// <inheritdoc/>
    public Task<IReadOnlyList<StoredRequest>> FindOrAddRequestsAsync(
        IReadOnlyDictionary<Guid, ReadOnlyMemory<byte>> bodyHashes, CancellationToken cancellationToken)
    {
        var requests = new List<StoredRequest>(bodyHashes.Count);
        using Statement select = Connection.Prepare("SELECT seq, body_hash FROM request WHERE request_id = ?");
        using Statement insert = Connection.Prepare("INSERT INTO request (request_id, body_hash) VALUES (?, ?)");
        foreach ((Guid id, ReadOnlyMemory<byte> bodyHash) in bodyHashes)
        {
            if (select.Reset().Bind(1, id).Step())
            {
                requests.Add(new StoredRequest(select.GetInt64(0), id, select.GetBytes(1)));
                continue;
            }
            _ = insert.Bind(1, id).Bind(2, bodyHash.Span).Execute();
            requests.Add(new StoredRequest(Connection.LastRowId, id, bodyHash));
        }
        return Task.FromResult<IReadOnlyList<StoredRequest>>(requests);
    }

    private static string Insert(Table table) => table switch
    {
        Table.Request => "INSERT INTO request (seq, request_id, body_hash) VALUES (?, ?, ?)",
        Table.Pending =>
            "INSERT INTO pending (id, structure, expected_period, expected_version, key, value) VALUES (? << 8 | ?, ?, ?, ?, ?, ?)",
        Table.Outcome =>
            "INSERT INTO outcome (id, epoch, ordinal, refusal, refused_item, current_period, current_version) VALUES (? << 8 | ?, ?, ?, ?, ?, ?, ?)",
        Table.Leaf =>
            "INSERT INTO leaf (id, structure, period, version, label, commitment, tag, request_id, item) VALUES (? << 28 | ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        Table.Value => "INSERT INTO value (id, opening, key, value) VALUES (? << 28 | ?, ?, ?, ?)",
        Table.Erasure =>
            "INSERT INTO erasure (id, leaf, period, request_id, item) VALUES (?1 << 28 | ?2, CASE WHEN ?4 IS NULL THEN ?3 << 28 | ?5 ELSE ?4 << 31 | ?5 END, ?4, ?6, ?7)",
        Table.Epoch => "INSERT INTO epoch (epoch, leaves, value_bytes, record_hash, record, checkpoint) VALUES (?, ?, ?, ?, ?, ?)",
        Table.Copy =>
            "INSERT INTO copy (id, structure, version, source_epoch, source_ordinal, label, commitment, tag) VALUES (? << 31 | ?, ?, ?, ?, ?, ?, ?, ?)",
        Table.CopyValue => "INSERT INTO copy_value (id, opening, key, value) VALUES (? << 31 | ?, ?, ?, ?)",
        _ => "INSERT INTO period (period, state, first_epoch, copies, wrapped_secrets, configuration) VALUES (?, ?, ?, ?, ?, ?)",
    };

    private int DeletePending(IReadOnlyList<Outcome> outcomes)
    {
        int deleted = 0;
        using Statement delete = Connection.Prepare(
            "DELETE FROM pending WHERE id = ? AND EXISTS (SELECT 1 FROM request WHERE seq = ? AND request_id = ?)");
        foreach (Outcome outcome in outcomes)
        {
            deleted += delete.Bind(1, RowIds.Item(outcome.Sequence, outcome.Item)).Bind(2, outcome.Sequence)
                .Bind(3, outcome.RequestId).Execute();
        }
        return deleted;
    }

    // Binds the cells of a row to the parameters of an INSERT statement, one after another. Parameters are null before the first row and
    // keep their values from row to row, so a cell that is always null costs nothing.
    private sealed class Cells(Statement insert) : IRowWriter
    {
        private readonly bool[] _isSet = new bool[insert.ParameterCount + 1];
        private int _last;

        public void Begin() => _last = 0;

        public void WriteInt64(long? value)
        {
            if (value is long present)
            {
                _ = insert.Bind(Next(), present);
            }
            else
            {
                WriteNull();
            }
        }

        public void WriteInt32(int? value) => WriteInt64(value);

        public void WriteInt16(int? value) => WriteInt64(value);

        public void WriteBytes(ReadOnlyMemory<byte> value) => WriteBytes(value.Span);

        public void WriteBytes(ReadOnlySpan<byte> value) => _ = insert.Bind(Next(), value);

        public void WriteNull()
        {
            if (_isSet[++_last])
            {
                _ = insert.BindNull(_last);
                _isSet[_last] = false;
            }
        }

        public void WriteRequestId(Guid value) => _ = insert.Bind(Next(), value);

        private int Next()
        {
            _isSet[++_last] = true;
            return _last;
        }
    }
}
