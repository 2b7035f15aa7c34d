using System.Runtime.CompilerServices;
using Microsoft.Data.SqlClient;

namespace Optiks.Storage.SqlServer.Engine;

/// <summary>Connection is a pooled connection with the transaction that its commands belong to, if any. Without one each statement sees one moment of the database by itself. Not thread-safe.</summary>
internal sealed class Connection
{
    /// <summary>A statement gets longer than an import's largest batch needs on a busy server; who waits for a lock gives up earlier, see the statements themselves.</summary>
    private const int CommandSeconds = 40;

    // Babelfish 4.3 reads its marks of null values in a parameter of a table type from memory that it did not clear: the longer the list, the likelier that one is wrong. As no column of the lists may be
    // null, it then refuses the statement and stores nothing wrong.
    private const int BabelfishListRows = 32;

    private readonly SqlConnection _connection;
    private readonly SqlTransaction? _transaction;
    private readonly bool _isBabelfish;

    public Connection(SqlConnection connection, SqlTransaction? transaction, bool isBabelfish)
    {
        _connection = connection;
        _transaction = transaction;
        _isBabelfish = isBabelfish;
    }

    /// <summary>ExecuteAsync runs a statement and returns how many rows it touched.</summary>
    public async Task<int> ExecuteAsync(Statement statement, CancellationToken cancellationToken, params SqlParameter[] parameters)
    {
        await using SqlCommand command = Command(statement, parameters);
        return await command.ExecuteNonQueryAsync(cancellationToken);
    }

    /// <summary>ExecuteUnlimitedAsync is <see cref="ExecuteAsync"/> without a time limit: for migrations.</summary>
    public async Task ExecuteUnlimitedAsync(Statement statement, CancellationToken cancellationToken)
    {
        await using SqlCommand command = Command(statement, []);
        command.CommandTimeout = 0;
        _ = await command.ExecuteNonQueryAsync(cancellationToken);
    }

    /// <summary>ScalarAsync returns the first cell, <see cref="DBNull"/> for null; null when there is no row.</summary>
    public async Task<object?> ScalarAsync(Statement statement, CancellationToken cancellationToken, params SqlParameter[] parameters)
    {
        await using SqlCommand command = Command(statement, parameters);
        return await command.ExecuteScalarAsync(cancellationToken);
    }

    /// <summary>RowsAsync runs a query row by row.</summary>
    public async IAsyncEnumerable<SqlDataReader> RowsAsync(Statement statement, [EnumeratorCancellation] CancellationToken cancellationToken, params SqlParameter[] parameters)
    {
        await using SqlCommand command = Command(statement, parameters);
        await using SqlDataReader reader = await command.ExecuteReaderAsync(cancellationToken);
        while (await reader.ReadAsync(cancellationToken))
        {
            yield return reader;
        }
    }

    /// <summary>Chunks of a list, each small enough for one parameter of a table type: the whole list on SQL Server. No chunk is empty.</summary>
    public IEnumerable<T[]> Chunks<T>(IEnumerable<T> rows) => rows.Chunk(_isBabelfish ? BabelfishListRows : int.MaxValue);

    /// <summary>CopyAsync copies rows into a table; <paramref name="cell"/> gives the value at (row, column), <see cref="DBNull"/> for null.</summary>
    public async Task CopyAsync(Table table, int rows, Func<int, int, object> cell, CancellationToken cancellationToken)
    {
        if (rows == 0)
        {
            return;
        }
        // Without this option constraints are passed over, and the table's are not trusted any more.
        using var copy = new SqlBulkCopy(_connection, SqlBulkCopyOptions.CheckConstraints, _transaction) { DestinationTableName = table.Name, BulkCopyTimeout = CommandSeconds };
        for (int i = 0; i < table.Columns.Length; i++)
        {
            _ = copy.ColumnMappings.Add(i, table.Columns[i]);
        }
        // So that the server need not sort; Babelfish does not know the hint.
        foreach (string column in _isBabelfish ? [] : table.Columns.AsSpan(0, table.Sorted))
        {
            _ = copy.ColumnOrderHints.Add(column, SortOrder.Ascending);
        }
        await using var source = new RowSource(rows, table.Columns.Length, cell);
        await copy.WriteToServerAsync(source, cancellationToken);
    }

    private SqlCommand Command(Statement statement, SqlParameter[] parameters)
    {
        SqlCommand command = _connection.CreateCommand();
        // Constants all: a Statement is made of one.
#pragma warning disable CA2100
        command.CommandText = statement.Text;
#pragma warning restore CA2100
        command.CommandTimeout = CommandSeconds;
        command.Transaction = _transaction;
        command.Parameters.AddRange(parameters);
        return command;
    }
}
