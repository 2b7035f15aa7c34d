using Optiks.Storage.Driver;

namespace Optiks.Storage.Sqlite.Engine;

/// <summary>The file, with the connections of one store. Any thread.</summary>
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

    /// <summary>SessionName is empty: a process that is gone has left no session.</summary>
    public string SessionName => "";

    /// <inheritdoc/>
    public Statements Statements => SqliteStatements.All;

    /// <summary>PollInterval: SQLite has no notifications. A poll is one row from the page cache, some ten microseconds.</summary>
    public TimeSpan PollInterval { get; } = TimeSpan.FromMilliseconds(20);

    /// <inheritdoc/>
    public bool HasOneWriter => true;

    /// <summary>Opens a file that services can work with, to read it or to write it too.</summary>
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

    /// <summary>Opens a file of any version, to write it.</summary>
    public static Database OpenForMigration(SqliteSettings settings) => new(settings, readers: null, new Writer(settings, _ => { }));

    /// <summary>Throws <see cref="StorageUnavailableException"/> while the file system takes no writes.</summary>
    public void ThrowIfReadOnly() => _writer!.ThrowIfReadOnly();

    /// <summary>NextPublished never completes: see <see cref="PollInterval"/>.</summary>
    public Task NextPublished() => s_never;

    /// <summary>Runs queries in one read transaction.</summary>
    public Task<T> ReadAsync<T>(Func<ISession, CancellationToken, Task<T>> work, CancellationToken cancellationToken) =>
        JudgeAsync(() => _readers!.RunAsync(connection => work(new Session(this, connection), cancellationToken), cancellationToken));

    /// <summary>Runs statements in a transaction that has the write lock from its beginning.</summary>
    public async Task<T> WriteAsync<T>(Func<Session, CancellationToken, Task<WriteResult<T>>> work, Func<int, Task<WriteResult<T>?>>? resolve, CancellationToken cancellationToken)
    {
        (T value, StorageException? failure) = await JudgeAsync(() => _writer!.RunAsync(connection => work(new Session(this, connection), cancellationToken), cancellationToken));
        if (failure is null)
        {
            return value;
        }
        // A commit whose answer is an error may be durable.
        return resolve is not null && await resolve(0) is { } known ? known.Value : throw StorageMisconfiguredException.JudgeOpened(failure);
    }

    /// <inheritdoc/>
    Task<T> IDatabase.WriteAsync<T>(Func<ISession, CancellationToken, Task<WriteResult<T>>> work, Func<int, Task<WriteResult<T>?>>? resolve, CancellationToken cancellationToken) =>
        WriteAsync(work, resolve, cancellationToken);

    /// <summary>Ends none: a process that is paused inside a transaction holds the file's write lock, and no other can take it away.</summary>
    public Task EndExpiredHolderAsync(string holder, CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>Reads at once: a transaction has ended when its connection says so.</summary>
    public Task<T> ReadAfterAsync<T>(int session, Func<ISession, CancellationToken, Task<T>> work) => ReadAsync(work, CancellationToken.None);

    /// <summary>IsDuplicate is never the reason: the head row is compared under the write lock before anything is written.</summary>
    public bool IsDuplicate(StorageCorruptException e) => false;

    /// <inheritdoc/>
    public Task<ITransaction> BeginConsistentReadAsync(CancellationToken cancellationToken) =>
        Task.Run<ITransaction>(() => Transaction.Begin(this, _settings, readOnly: true, "BEGIN"), cancellationToken);

    /// <inheritdoc/>
    public Task<ITransaction> BeginImportAsync(CancellationToken cancellationToken) =>
        Task.Run<ITransaction>(() => Transaction.Begin(this, _settings, readOnly: false, "BEGIN IMMEDIATE"), cancellationToken);

    // Opening has refused what no call could use: a file that is write-protected or unreadable from now on may be put right.
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
        // The last connection of all writes the log back into the file, so that what was erased is in neither. A reader cannot.
        _readers?.Dispose();
        if (_writer is not null)
        {
            await _writer.DisposeAsync();
        }
    }
}
