namespace Optiks.Storage;

/// <summary>
/// Provides the engine's statements to a driver's stores, and runs the stores' work in transactions. The methods throw the exceptions of
/// the storage contract (<see cref="StorageException"/>). Safe for concurrent use.
/// </summary>
public interface IDatabase : IAsyncDisposable
{
    /// <summary>The location of the database for messages, without secrets.</summary>
    string Location { get; }

    /// <summary>
    /// The name of this store's sessions on the server; empty if the engine has no server. A store that takes the lease writes this name to
    /// the head row.
    /// </summary>
    string SessionName { get; }

    /// <summary>The engine's statements.</summary>
    Statements Statements { get; }

    /// <summary>The interval at which a store that waits for a new epoch reads the head row.</summary>
    TimeSpan PollInterval { get; }

    /// <summary>Whether the engine runs only one writing transaction at a time.</summary>
    bool HasOneWriter { get; }

    /// <summary>
    /// Returns a task that completes at the next notification of a published epoch. If the engine has no notifications, the task never
    /// completes. Callers must get the task before they read the head row, so that they miss no notification.
    /// </summary>
    Task NextPublished();

    /// <summary>Runs work that only reads.</summary>
    Task<T> ReadAsync<T>(Func<ISession, CancellationToken, Task<T>> work, CancellationToken cancellationToken);

    /// <summary>
    /// Runs work in a transaction, and commits it if the work's result asks for a commit. If the commit fails, the function
    /// <paramref name="resolve"/> gets the number of the lost session, and determines whether the commit took effect. If this function is
    /// null or returns null, the commit's failure is thrown.
    /// </summary>
    Task<T> WriteAsync<T>(Func<ISession, CancellationToken, Task<WriteResult<T>>> work, Func<int, Task<WriteResult<T>?>>? resolve,
        CancellationToken cancellationToken);

    /// <summary>
    /// Runs one statement in its own transaction. The statement must be safe to run twice: some engines send statement and commit in one
    /// message, and when the session is lost, they repeat the transaction even if it took effect.
    /// </summary>
    Task<T> WriteOneAsync<T>(Func<ISession, CancellationToken, Task<T>> work, CancellationToken cancellationToken) =>
        WriteAsync(async (session, cancel) => new WriteResult<T>(await work(session, cancel), Commit: true), resolve: null,
            cancellationToken);

    /// <summary>
    /// Ends the sessions of the store that last held the lease, if that lease has expired. Does nothing if that store is this store, or
    /// belongs to the given holder (<paramref name="holder"/>). This is needed because a session that was paused just before its commit
    /// still holds the lock on the head row.
    /// </summary>
    Task EndExpiredHolderAsync(string holder, CancellationToken cancellationToken);

    /// <summary>
    /// Waits until the transaction of a lost session has ended, and then runs work that only reads. The lost session may still be running
    /// on the server, but it locks the head row until its transaction ends. This method waits for that lock, so the work sees the final
    /// result of the transaction.
    /// </summary>
    Task<T> ReadAfterAsync<T>(int session, Func<ISession, CancellationToken, Task<T>> work);

    /// <summary>Returns whether the error means that a row with the same primary key already existed.</summary>
    bool IsDuplicate(StorageCorruptException e);

    /// <summary>
    /// Begins a transaction that reads all rows as they are at the time of this call. The transaction's session may be idle for a long
    /// time.
    /// </summary>
    Task<ITransaction> BeginConsistentReadAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Begins a transaction during which no other transaction writes. The transaction's session may be idle for a long time.
    /// </summary>
    Task<ITransaction> BeginImportAsync(CancellationToken cancellationToken);
}
