namespace Optiks.Storage.Driver;

/// <summary>
/// Gives a driver's stores the engine's statements and transactions to run them in. Its methods throw the exceptions of the storage
/// contract (<see cref="StorageException"/>). Safe for concurrent use.
/// </summary>
public interface IDatabase : IAsyncDisposable
{
    /// <summary>The location shown in messages, without secrets.</summary>
    string Location { get; }

    /// <summary>
    /// The name of this store's sessions on the server, which the lease's holder writes to the head row; empty when the engine has no
    /// server.
    /// </summary>
    string SessionName { get; }

    /// <summary>The engine's statements.</summary>
    Statements Statements { get; }

    /// <summary>How often a waiting store reads the head row for a new epoch.</summary>
    TimeSpan PollInterval { get; }

    /// <summary>Whether only one writing transaction runs at a time.</summary>
    bool HasOneWriter { get; }

    /// <summary>
    /// Returns a task that completes at the next notification of a published epoch; the task never completes when the engine has no
    /// notifications. Callers get the task before they read the head row, so that they miss no notification.
    /// </summary>
    Task NextPublished();

    /// <summary>Runs work that only reads.</summary>
    Task<T> ReadAsync<T>(Func<ISession, CancellationToken, Task<T>> work, CancellationToken cancellationToken);

    /// <summary>
    /// Runs work in a transaction and commits if the work says so. When the commit fails, <paramref name="resolve"/> gets the number of the
    /// lost session and determines whether the commit took effect. When <paramref name="resolve"/> returns null or is null itself, the
    /// failure is thrown.
    /// </summary>
    Task<T> WriteAsync<T>(Func<ISession, CancellationToken, Task<WriteResult<T>>> work, Func<int, Task<WriteResult<T>?>>? resolve, CancellationToken cancellationToken);

    /// <summary>
    /// Runs one statement in its own transaction. The statement must be safe to run twice. When the session is lost, an engine that sends
    /// the transaction in one piece repeats the transaction, whether or not it took effect.
    /// </summary>
    Task<T> WriteOneAsync<T>(Func<ISession, CancellationToken, Task<T>> work, CancellationToken cancellationToken) =>
        WriteAsync(async (session, cancel) => new WriteResult<T>(await work(session, cancel), Commit: true), resolve: null, cancellationToken);

    /// <summary>
    /// Ends the sessions of the store whose lease has ended, unless that store belongs to <paramref name="holder"/> or is this store. This
    /// is needed because a session that was paused just before its commit still holds the head row's lock.
    /// </summary>
    Task EndExpiredHolderAsync(string holder, CancellationToken cancellationToken);

    /// <summary>
    /// Runs work that only reads, after a lost session's transaction has ended. That session may still be running, but it holds the head
    /// row until its transaction ends. This method waits for the head row, so the work sees the final result of that transaction.
    /// </summary>
    Task<T> ReadAfterAsync<T>(int session, Func<ISession, CancellationToken, Task<T>> work);

    /// <summary>Returns whether the error means that a row with the same key existed.</summary>
    bool IsDuplicate(StorageCorruptException e);

    /// <summary>
    /// Begins a transaction that reads everything as of the present point in time. The transaction's session may be idle for a long time.
    /// </summary>
    Task<ITransaction> BeginConsistentReadAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Begins a transaction during which no other transaction writes. The transaction's session may be idle for a long time.
    /// </summary>
    Task<ITransaction> BeginImportAsync(CancellationToken cancellationToken);
}
