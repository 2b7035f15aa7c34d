using Microsoft.Data.SqlClient;

namespace Optiks.Storage.SqlServer.Engine;

/// <summary>
/// A pooled connection, with the transaction to which its commands belong, if there is one. Without a transaction, each statement sees the
/// database at its own point in time. Not thread-safe.
/// </summary>
internal sealed class Connection : ISession
{
    // The largest number of rows that the driver sends to Babelfish in one list. Babelfish 4.3 turns a list into one statement and keeps a
    // copy of the statement's text for each row, so for 20,000 rows these copies take gigabytes. The conformance suite sends both shorter
    // and longer lists.
    private const int BabelfishListRows = 512;

    private static readonly Statement s_begin = new("DECLARE @changed int; BEGIN TRANSACTION;\n");

    private static readonly Statement s_commit = new("SELECT @changed = @@ROWCOUNT; COMMIT TRANSACTION; SELECT @changed");

    private static readonly Statement s_changed = new("SELECT @@ROWCOUNT");

    private readonly Database _database;
    private readonly SqlConnection _connection;
    private readonly SqlTransaction? _transaction;
    private readonly SessionLimits _limits;
    private readonly bool _isBabelfish;

    public Connection(Database database, SqlConnection connection, SqlTransaction? transaction, SessionLimits limits, bool isBabelfish)
    {
        _database = database;
        _connection = connection;
        _transaction = transaction;
        _limits = limits;
        _isBabelfish = isBabelfish;
    }

    /// <inheritdoc/>
    public IDatabase Database => _database;

    /// <summary>The largest number of rows that a parameter of a table type may have on this server.</summary>
    public int MaxListRows => _isBabelfish ? BabelfishListRows : int.MaxValue;

    /// <summary>Runs a statement that returns no result.</summary>
    public async Task ExecuteAsync(Statement statement, CancellationToken cancellationToken, params SqlParameter[] parameters)
    {
        await using SqlCommand command = Command(statement.Text, parameters);
        _ = await command.ExecuteNonQueryAsync(cancellationToken);
    }

    /// <summary>
    /// Runs one or several statements, and returns how many rows the last statement changed. The statements themselves select that number,
    /// for the reason in <see cref="SessionLimits"/>. If the connection has no transaction, the statements run in a transaction of their
    /// own.
    /// </summary>
    public async Task<int> ChangeAsync(Sql sql, CancellationToken cancellationToken, params SqlParameter[] parameters)
    {
        await using SqlCommand command = Command(
            _transaction is null ? $"{s_begin.Text}{sql.Text};\n{s_commit.Text}" : $"{sql.Text};\n{s_changed.Text}", parameters);
        return (int)(await command.ExecuteScalarAsync(cancellationToken))!;
    }

    /// <summary>
    /// Runs statements whose rows the caller reads. When this method returns its task, it has already passed the statements to the network.
    /// The task completes when the server's first answer arrives.
    /// </summary>
    public async Task<Rows> QueryAsync(Sql sql, CancellationToken cancellationToken, params SqlParameter[] parameters)
    {
        SqlCommand command = Command(sql.Text, parameters);
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

    /// <summary>Runs the statement <paramref name="insert"/> for all given rows. The statement inserts the list in its parameter
    /// <c>@list</c> into a temporary table of the session.</summary>
    public async Task StageAsync<T>(Statement insert, ListType<T> type, IEnumerable<T> rows, CancellationToken cancellationToken)
    {
        foreach (T[] chunk in Chunks(rows))
        {
            await ExecuteAsync(insert, cancellationToken, type.Parameter("@list", chunk));
        }
    }

    /// <summary>
    /// Splits a list into chunks that each fit into one parameter of a table type. On SQL Server, the whole list is one chunk. No chunk is
    /// empty.
    /// </summary>
    public IEnumerable<T[]> Chunks<T>(IEnumerable<T> rows) => rows.Chunk(MaxListRows);

    /// <inheritdoc/>
    public Task<int> ChangeAsync(Sql sql, CancellationToken cancellationToken, params Parameter[] parameters) =>
        ChangeAsync(sql, cancellationToken, Parameters.Create(parameters));

    /// <inheritdoc/>
    public async Task<IRows> QueryAsync(Sql sql, CancellationToken cancellationToken, params Parameter[] parameters) =>
        await QueryAsync(sql, cancellationToken, Parameters.Create(parameters));

    /// <inheritdoc/>
    public async Task CopyAsync(Table table, int rows, Action<IRowWriter, int> write, CancellationToken cancellationToken)
    {
        if (rows == 0)
        {
            return;
        }
        BulkTable target = BulkTable.All[table];
        // Without the option CheckConstraints, the bulk copy would ignore the table's constraints, and the server would no longer rely on
        // them.
        using var copy = new SqlBulkCopy(_connection, SqlBulkCopyOptions.CheckConstraints,
            _transaction)
        { DestinationTableName = target.Name, BulkCopyTimeout = _limits.CommandSeconds };
        for (int i = 0; i < target.Columns.Length; i++)
        {
            _ = copy.ColumnMappings.Add(i, target.Columns[i]);
        }
        // The hint tells the server that the rows are sorted, so that it need not sort them. Babelfish does not know the hint.
        foreach (string column in _isBabelfish ? [] : target.Columns.AsSpan(0, target.Sorted))
        {
            _ = copy.ColumnOrderHints.Add(column, SortOrder.Ascending);
        }
        await using var source = new RowSource(rows, target.Columns.Length, write);
        await copy.WriteToServerAsync(source, cancellationToken);
    }

    /// <inheritdoc/>
    public Task ReadPendingAsync(PendingSelection selection, CancellationToken cancellationToken) =>
        PendingRows.ReadAsync(this, selection, cancellationToken);

    /// <inheritdoc/>
    public Task<(int Epochs, int Pending, int Heads)> FinishEpochAsync(
        Parameter[] epoch, IReadOnlyList<Outcome> outcomes, Parameter[] head, CancellationToken cancellationToken) =>
        PendingRows.FinishEpochAsync(this, epoch, outcomes, head, cancellationToken);

    /// <inheritdoc/>
    public Task<IReadOnlyList<StoredRequest>> FindOrAddRequestsAsync(
        IReadOnlyDictionary<Guid, ReadOnlyMemory<byte>> bodyHashes, CancellationToken cancellationToken) =>
        RequestNumbers.FindOrAddAsync(this, bodyHashes, cancellationToken);

    /// <inheritdoc/>
    public Task<IReadOnlyDictionary<long, StoredRequest>?> FindRequestsAsync(long[] sequences, CancellationToken cancellationToken) =>
        RequestNumbers.FindAsync(this, sequences, cancellationToken);

    private SqlCommand Command(string text, SqlParameter[] parameters)
    {
        SqlCommand command = _connection.CreateCommand();
        // Every text is a constant, because the constructor of Sql accepts only constants.
#pragma warning disable CA2100
        command.CommandText = _limits.Preamble.Text + text;
#pragma warning restore CA2100
        command.CommandTimeout = _limits.CommandSeconds;
        command.Transaction = _transaction;
        command.Parameters.AddRange(parameters);
        return command;
    }
}
