using SQLitePCL;

namespace Optiks.Storage.Sqlite.Engine;

/// <summary>
/// A prepared statement, which its <see cref="Connection"/> keeps. Dispose only makes the statement ready for its next use. Parameters are
/// numbered from 1, columns from 0. The span of a column is valid until the next call of <see cref="Step"/>.
/// </summary>
internal sealed class Statement : IRows, IDisposable
{
    private readonly Connection _connection;
    private readonly sqlite3_stmt _handle;
    private readonly bool _isReadOnly;
    private bool _inUse;

    public Statement(Connection connection, sqlite3_stmt handle)
    {
        _connection = connection;
        _handle = handle;
        _isReadOnly = raw.sqlite3_stmt_readonly(handle) != 0;
    }

    /// <summary>The number of the statement's parameters.</summary>
    public int ParameterCount => raw.sqlite3_bind_parameter_count(_handle);

    /// <summary>
    /// Marks the statement as in use. Only one use at a time is allowed, because a nested use would move the cursor of the outer use.
    /// </summary>
    public Statement Take()
    {
        if (_inUse)
        {
            throw new InvalidOperationException("This statement is in use already.");
        }
        _inUse = true;
        return this;
    }

    public Statement Bind(int index, long value)
    {
        Check(raw.sqlite3_bind_int64(_handle, index, value));
        return this;
    }

    public Statement Bind(int index, ulong value) => Bind(index, checked((long)value));

    public Statement Bind(int index, ulong? value) => value is ulong known ? Bind(index, known) : BindNull(index);

    public Statement Bind(int index, string value)
    {
        Check(raw.sqlite3_bind_text(_handle, index, value));
        return this;
    }

    public Statement Bind(int index, ReadOnlySpan<byte> value)
    {
        Check(value.IsEmpty ? raw.sqlite3_bind_zeroblob(_handle, index, 0) : raw.sqlite3_bind_blob(_handle, index, value));
        return this;
    }

    public Statement Bind(int index, Guid value)
    {
        Span<byte> octets = stackalloc byte[RequestIds.Length];
        RequestIds.Write(value, octets);
        return Bind(index, octets);
    }

    /// <summary>Binds the parameters in their order, as many as the statement has.</summary>
    public Statement Bind(Parameter[] parameters)
    {
        int count = Math.Min(parameters.Length, ParameterCount);
        for (int i = 0; i < count; i++)
        {
            Parameter parameter = parameters[i];
            _ = parameter.Type switch
            {
                ParameterType.Text => Bind(i + 1, parameter.Text),
                ParameterType.Octets => Bind(i + 1, parameter.Octets.Span),
                ParameterType.RequestId => Bind(i + 1, parameter.RequestId),
                _ => parameter.Number is long number ? Bind(i + 1, number) : BindNull(i + 1),
            };
        }
        return this;
    }

    public Statement BindNull(int index)
    {
        Check(raw.sqlite3_bind_null(_handle, index));
        return this;
    }

    /// <summary>Moves to the next row; returns false if there is no further row.</summary>
    public bool Step()
    {
        int result = raw.sqlite3_step(_handle);
        if (result == raw.SQLITE_ROW)
        {
            return true;
        }
        if (result != raw.SQLITE_DONE)
        {
            throw _connection.Error();
        }
        return false;
    }

    /// <summary>
    /// Runs a statement and returns the number of rows that it changed, or 1 if it returns a row instead. Makes the statement ready for
    /// other parameters.
    /// </summary>
    public int Execute()
    {
        bool isRow = Step();
        int changes = isRow ? 1 : _isReadOnly ? 0 : _connection.Changes;
        Reset();
        return changes;
    }

    public ValueTask<bool> ReadAsync(CancellationToken cancellationToken) => new(Step());

    /// <summary>Moves the cursor before the first row. The parameters keep their values.</summary>
    public Statement Reset()
    {
        // The result is ignored, because it only repeats the error of the last step, for which an exception was already thrown.
        _ = raw.sqlite3_reset(_handle);
        return this;
    }

    public bool IsNull(int column) => raw.sqlite3_column_type(_handle, column) == raw.SQLITE_NULL;

    public long GetInt64(int column) => raw.sqlite3_column_int64(_handle, column);

    public int GetInt32(int column) => checked((int)GetInt64(column));

    public int GetInt16(int column) => GetInt32(column);

    public bool GetBoolean(int column) => GetInt64(column) != 0;

    public ulong GetUInt64(int column) => checked((ulong)GetInt64(column));

    public string GetText(int column) => raw.sqlite3_column_text(_handle, column).utf8_to_string();

    public ReadOnlySpan<byte> GetSpan(int column) => raw.sqlite3_column_blob(_handle, column);

    public byte[] GetBytes(int column) => GetSpan(column).ToArray();

    public Guid GetRequestId(int column) => RequestIds.Read(GetSpan(column));

    public DateTimeOffset GetTime(int column) => DateTimeOffset.FromUnixTimeMilliseconds(GetInt64(column));

    public void Dispose()
    {
        Reset();
        _ = raw.sqlite3_clear_bindings(_handle);
        _inUse = false;
    }

    public ValueTask DisposeAsync()
    {
        Dispose();
        return ValueTask.CompletedTask;
    }

    /// <summary>Releases the statement in SQLite. Only the connection calls this method.</summary>
    public void Close() => _handle.Dispose();

    private void Check(int result)
    {
        if (result != raw.SQLITE_OK)
        {
            throw _connection.Error();
        }
    }
}
