using System.Collections.Concurrent;

namespace Optiks.Storage.Sqlite.Engine;

/// <summary>Keeps connections for reading. Each call sees the database at one point in time and does not block writers.
/// Thread-safe.</summary>
internal sealed class ReaderPool : IDisposable
{
    private const int MaxConnections = 8;

    private readonly ConcurrentBag<Connection> _idle = [];
    private readonly SemaphoreSlim _slots = new(MaxConnections);
    private readonly SqliteSettings _settings;
    // No query uses this connection. It stays open to identify the file that was opened first, even if another file is at the path now.
    private readonly Connection _first;
    private readonly Lock _firstLock = new();
    private volatile bool _disposed;

    public ReaderPool(SqliteSettings settings)
    {
        _settings = settings;
        // This connection is opened now, so that the program's start fails for a file that no call could use.
        _first = Open();
    }

    /// <summary>Runs queries in one read transaction.</summary>
    public async Task<T> RunAsync<T>(Func<Connection, Task<T>> work, CancellationToken cancellationToken)
    {
        await _slots.WaitAsync(cancellationToken);
        try
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            return await Task.Run(() => RunAsync(work), CancellationToken.None);
        }
        finally
        {
            _slots.Release();
        }
    }

    public void Dispose()
    {
        _disposed = true;
        while (_idle.TryTake(out Connection? connection))
        {
            connection.Dispose();
        }
        lock (_firstLock)
        {
            _first.Dispose();
        }
    }

    private async Task<T> RunAsync<T>(Func<Connection, Task<T>> work)
    {
        if (!_idle.TryTake(out Connection? connection))
        {
            connection = OpenAnother();
        }
        bool usable = false;
        try
        {
            connection.ThrowIfMoved();
            connection.Execute("BEGIN");
            T result = await work(connection);
            connection.Execute("COMMIT");
            usable = !_disposed;
            return result;
        }
        finally
        {
            if (usable)
            {
                _idle.Add(connection);
            }
            else
            {
                connection.Dispose();
            }
        }
    }

    // Opens a new connection. The first connection then checks that the path still has the file that was opened first, because the new
    // connection itself cannot detect that it opened another file.
    private Connection OpenAnother()
    {
        Connection connection;
        try
        {
            connection = Open();
        }
        catch (StorageException)
        {
            ThrowIfFirstMoved();
            throw;
        }
        try
        {
            ThrowIfFirstMoved();
            return connection;
        }
        catch
        {
            connection.Dispose();
            throw;
        }
    }

    private void ThrowIfFirstMoved()
    {
        lock (_firstLock)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            _first.ThrowIfMoved();
        }
    }

    private Connection Open()
    {
        Connection connection = Connection.Open(_settings, readOnly: true);
        try
        {
            SqliteSchema.ThrowIfUnusable(connection);
            return connection;
        }
        catch
        {
            connection.Dispose();
            throw;
        }
    }
}
