namespace Optiks.Storage.Sqlite.Engine;

/// <summary>Holds the connections of one store to the database file. Thread-safe.</summary>
internal sealed class Database : IDatabase
{
    private static readonly Task s_never = new TaskCompletionSource().Task;

    private readonly SqliteSettings _settings;
    private readonly ReaderPool? _readers;
    private readonly Writer? _writer;

    private Database(SqliteSettings settings, ReaderPool? readers, Writer? writer)
    {
        _settings = settings;
        _readers = readers;
        _writer = writer;
    }

    /// <inheritdoc/>
    public string Location => _settings.Path;

    /// <summary>Always empty, because SQLite has no server, so a process that has ended leaves no session.</summary>
    public string SessionName => "";

    /// <inheritdoc/>
    public Statements Statements => SqliteStatements.All;

    /// <summary>
    /// The interval at which waiting stores poll; they poll because SQLite has no notifications. Polls can be this frequent because each
    /// one reads one row from the page cache, which takes about ten microseconds.
    /// </summary>
    public TimeSpan PollInterval { get; } = TimeSpan.FromMilliseconds(20);

    /// <inheritdoc/>
    public bool HasOneWriter => true;

    /// <summary>Opens a file whose schema and settings suit a service, for reading and, if the parameter <paramref name="writes"/> is true,
    /// for writing.</summary>
    public static Database Open(SqliteSettings settings, bool writes)
    {
        var readers = new ReaderPool(settings);
        try
        {
            Writer? writer = writes ? new Writer(settings, SqliteSchema.ThrowIfUnusable) : null;
            return new Database(settings, readers, writer);
        }
        catch
        {
            readers.Dispose();
            throw;
        }
    }

    /// <summary>Opens a file of any schema version for writing.</summary>
    public static Database OpenForMigration(SqliteSettings settings) => new(settings, readers: null, new Writer(settings, _ => { }));

    /// <summary>Throws <see cref="StorageUnavailableException"/> while the file system is read-only.</summary>
    public void ThrowIfReadOnly() => _writer!.ThrowIfReadOnly();

    /// <summary>Returns a task that never completes, because SQLite has no notifications and stores poll
    /// (<see cref="PollInterval"/>).</summary>
    public Task NextPublished() => s_never;

    /// <summary>Runs queries in one read transaction.</summary>
    public Task<T> ReadAsync<T>(Func<ISession, CancellationToken, Task<T>> work, CancellationToken cancellationToken) =>
        JudgeAsync(() => _readers!.RunAsync(connection => work(new Session(this, connection), cancellationToken), cancellationToken));

    /// <summary>Runs statements in a transaction that holds the write lock from its beginning.</summary>
    public async Task<T> WriteAsync<T>(Func<Session, CancellationToken, Task<WriteResult<T>>> work,
        Func<int, Task<WriteResult<T>?>>? resolve, CancellationToken cancellationToken)
    {
        (T value, StorageException? failure) =
            await JudgeAsync(
                () => _writer!.RunAsync(connection => work(new Session(this, connection), cancellationToken), cancellationToken));
        if (failure is null)
        {
            return value;
        }
        // A commit that returned an error may nevertheless be durable, so the caller's function `resolve` looks up the result.
        return resolve is not null && await resolve(0) is { } known
            ? known.Value
            : throw StorageMisconfiguredException.JudgeOpened(failure);
    }

    /// <inheritdoc/>
    Task<T> IDatabase.WriteAsync<T>(Func<ISession, CancellationToken, Task<WriteResult<T>>> work, Func<int, Task<WriteResult<T>?>>? resolve,
        CancellationToken cancellationToken) =>
        WriteAsync(work, resolve, cancellationToken);

    /// <summary>
    /// Does nothing, because no other process can release the file's write lock, which a process that is paused inside a transaction holds.
    /// </summary>
    public Task EndExpiredHolderAsync(string holder, CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>Runs the work at once, because the transaction has already ended when SQLite reports the result of its commit.</summary>
    public Task<T> ReadAfterAsync<T>(int session, Func<ISession, CancellationToken, Task<T>> work) =>
        ReadAsync(work, CancellationToken.None);

    /// <summary>
    /// Returns false. Another holder's rows cannot exist, because each write first compares the head row while it holds the write lock.
    /// </summary>
    public bool IsDuplicate(StorageCorruptException e) => false;

    /// <inheritdoc/>
    public Task<ITransaction> BeginConsistentReadAsync(CancellationToken cancellationToken) =>
        Task.Run<ITransaction>(() => Transaction.Begin(this, _settings, readOnly: true, "BEGIN"), cancellationToken);

    /// <inheritdoc/>
    public Task<ITransaction> BeginImportAsync(CancellationToken cancellationToken) =>
        Task.Run<ITransaction>(() => Transaction.Begin(this, _settings, readOnly: false, "BEGIN IMMEDIATE"), cancellationToken);

    // Runs work on a file that is already open. A file that no call could use fails when it is opened. But an operator may repair a file
    // that becomes write-protected or unreadable later, so this method treats such an error as temporary.
    private static async Task<T> JudgeAsync<T>(Func<Task<T>> work)
    {
        try
        {
            return await work();
        }
        catch (StorageMisconfiguredException e) when (!e.IsOtherDatabase)
        {
            throw StorageMisconfiguredException.JudgeOpened(e);
        }
    }

    public async ValueTask DisposeAsync()
    {
        // The connection that closes last copies the log into the file and removes the log, so that erased values are in neither of them. A
        // reader cannot do this, so the readers must close first.
        _readers?.Dispose();
        if (_writer is not null)
        {
            await _writer.DisposeAsync();
        }
    }
}
