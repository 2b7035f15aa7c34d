namespace Optiks.Storage.Sqlite.Engine;

/// <summary>
/// Holds the only connection on which a process writes. Runs transactions one after another; when the task of a call completes, its
/// transaction is on the disk. Waits for other processes' transactions up to the busy timeout. Thread-safe.
/// </summary>
/// <remarks>
/// SQLite's write lock is not fair. A process that waits for it sleeps up to 100 ms between two attempts. So a process that commits without
/// a pause keeps all other processes out for seconds (seen in the conformance suite). Therefore this class tries every millisecond while it
/// waits, and after a transaction it leaves the lock free for more than a millisecond. Updates that arrive in the meantime share the next
/// transaction.
/// </remarks>
internal sealed class Writer : IAsyncDisposable
{
    private const int RetryMilliseconds = 1;
    private const int PauseMilliseconds = 3;

    private readonly SemaphoreSlim _gate = new(1);
    private readonly Connection _connection;
    private readonly Checkpointer _checkpointer;
    private readonly TimeSpan _busyTimeout;
    private long _released;
    private bool _disposed;

    /// <summary>Opens a file for writing. Then calls the action <paramref name="check"/>, which throws if the file is unsuitable.</summary>
    public Writer(SqliteSettings settings, Action<Connection> check)
    {
        _busyTimeout = settings.BusyTimeout;
        _connection = Connection.Open(settings, readOnly: false);
        try
        {
            check(_connection);
            _connection.LeaveCheckpoints();
            _checkpointer = new Checkpointer(settings);
        }
        catch
        {
            _connection.Dispose();
            throw;
        }
    }

    /// <summary>
    /// Runs work in a transaction that holds the write lock from its beginning, and commits it or rolls it back. If COMMIT itself fails,
    /// returns that failure: the transaction has ended, but nobody knows whether it is stored.
    /// </summary>
    /// <param name="work">The function that runs the statements. If it throws, the transaction is rolled back.</param>
    /// <param name="cancellationToken">Cancels the wait for the lock, but not a transaction that has begun.</param>
    public async Task<(T Value, StorageException? Failure)> RunAsync<T>(
        Func<Connection, Task<WriteResult<T>>> work, CancellationToken cancellationToken)
    {
        await _gate.WaitAsync(cancellationToken);
        try
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            // This check comes first, because a transaction that has nothing to write would succeed on a read-only file system.
            ThrowIfReadOnly();
            await BeginAsync(cancellationToken);
            return await Task.Run(() => RunAsync(work), CancellationToken.None);
        }
        finally
        {
            _released = TimeProvider.System.GetTimestamp();
            _gate.Release();
        }
    }

    /// <summary>
    /// Throws <see cref="StorageUnavailableException"/> while the file system is read-only. The check needs neither the file nor the
    /// connection.
    /// </summary>
    public void ThrowIfReadOnly()
    {
        if (SqliteLibrary.IsOnReadOnlyFileSystem(_connection.Path))
        {
            throw SqliteErrors.ReadOnlyFileSystem(_connection.Path);
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _gate.WaitAsync();
        if (!_disposed)
        {
            _disposed = true;
            await _checkpointer.DisposeAsync();
            _connection.Dispose();
        }
        _gate.Release();
    }

    private async Task BeginAsync(CancellationToken cancellationToken)
    {
        int pause = PauseMilliseconds - (int)TimeProvider.System.GetElapsedTime(_released).TotalMilliseconds;
        if (pause > 0)
        {
            await Task.Delay(pause, cancellationToken);
        }
        long start = TimeProvider.System.GetTimestamp();
        while (!await Task.Run(() => _connection.TryExecute("BEGIN IMMEDIATE"), CancellationToken.None))
        {
            if (TimeProvider.System.GetElapsedTime(start) > _busyTimeout)
            {
                throw SqliteErrors.Busy(_connection.Path);
            }
            await Task.Delay(RetryMilliseconds, cancellationToken);
        }
    }

    private async Task<(T Value, StorageException? Failure)> RunAsync<T>(Func<Connection, Task<WriteResult<T>>> work)
    {
        WriteResult<T> result;
        try
        {
            result = await work(_connection);
            if (!result.Commit)
            {
                _connection.Execute("ROLLBACK");
                return (result.Value, null);
            }
            _connection.ThrowIfMoved();
        }
        catch
        {
            _connection.RollBack();
            throw;
        }
        try
        {
            _connection.Execute("COMMIT");
            _checkpointer.Wrote(_connection.TakeWrittenPages());
            return (result.Value, null);
        }
        catch (StorageException e)
        {
            _connection.RollBack();
            return (result.Value, e);
        }
    }
}
