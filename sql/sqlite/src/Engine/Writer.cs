namespace Optiks.Storage.Sqlite.Engine;

/// <summary>
/// Writer is a process's one connection that writes: transactions one after another, each synced when its task completes. Other
/// processes' transactions are waited for by SQLite's busy timeout. Any thread.
/// </summary>
internal sealed class Writer : IAsyncDisposable
{
    private readonly SemaphoreSlim _gate = new(1);
    private readonly Connection _connection;
    private bool _disposed;

    public Writer(SqliteSettings settings)
    {
        _connection = Connection.Open(settings, readOnly: false);
        try
        {
            SqliteSchema.ThrowIfUnusable(_connection);
        }
        catch
        {
            _connection.Dispose();
            throw;
        }
    }

    /// <summary>RunAsync runs work in a transaction that has the write lock from its beginning, and commits or takes back what it wrote.</summary>
    /// <param name="work">The statements. An exception takes everything back.</param>
    /// <param name="wasCommitted">Asked when COMMIT itself failed and the transaction is gone: whether it is stored all the same. Null: the failure is thrown.</param>
    /// <param name="cancellationToken">Stops the waiting, not a transaction that has begun.</param>
    public async Task<T> RunAsync<T>(Func<Connection, WriteResult<T>> work, Func<Connection, bool>? wasCommitted, CancellationToken cancellationToken)
    {
        await _gate.WaitAsync(cancellationToken);
        try
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            return await Task.Run(() => Run(work, wasCommitted), CancellationToken.None);
        }
        finally
        {
            _gate.Release();
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _gate.WaitAsync();
        if (!_disposed)
        {
            _disposed = true;
            _connection.Dispose();
        }
        _gate.Release();
    }

    private T Run<T>(Func<Connection, WriteResult<T>> work, Func<Connection, bool>? wasCommitted)
    {
        WriteResult<T> result;
        _connection.Execute("BEGIN IMMEDIATE");
        try
        {
            result = work(_connection);
            if (!result.Commit)
            {
                _connection.Execute("ROLLBACK");
                return result.Value;
            }
            _connection.ThrowIfMoved();
        }
        catch
        {
            RollBack();
            throw;
        }
        try
        {
            _connection.Execute("COMMIT");
        }
        catch (StorageException)
        {
            RollBack();
            if (wasCommitted is null || !wasCommitted(_connection))
            {
                throw;
            }
        }
        return result.Value;
    }

    // SQLite may have rolled back by itself, after a full disk for instance.
    private void RollBack()
    {
        if (_connection.InTransaction)
        {
            _connection.Execute("ROLLBACK");
        }
    }
}
