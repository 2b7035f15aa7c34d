namespace Optiks.Storage.Driver;

/// <summary>What an engine gives a driver's stores: its statements, and transactions to run them in. Errors are the contract's (<see cref="StorageException"/>). Safe for concurrent use.</summary>
public interface IDatabase : IAsyncDisposable
{
    /// <summary>Location for messages, without secrets.</summary>
    string Location { get; }

    /// <summary>The name of this store's sessions on the server, which the holder of the lease leaves in the head row; empty where there is no server.</summary>
    string SessionName { get; }

    /// <summary>Statements of the engine.</summary>
    Statements Statements { get; }

    /// <summary>How often the head row is read for a new epoch.</summary>
    TimeSpan PollInterval { get; }

    /// <summary>HasOneWriter: of all transactions that write, one runs at a time.</summary>
    bool HasOneWriter { get; }

    /// <summary>Completes at the next notification of a published epoch, never where the engine has none. It is taken before the head row is read.</summary>
    Task NextPublished();

    /// <summary>Runs work that only reads.</summary>
    Task<T> ReadAsync<T>(Func<ISession, CancellationToken, Task<T>> work, CancellationToken cancellationToken);

    /// <summary>
    /// Runs work in a transaction, and commits if it says so. When the commit fails, <paramref name="resolve"/> (given the number of the lost session) finds out what became of it; null, or
    /// without one: the failure is the answer.
    /// </summary>
    Task<T> WriteAsync<T>(Func<ISession, CancellationToken, Task<WriteResult<T>>> work, Func<int, Task<WriteResult<T>?>>? resolve, CancellationToken cancellationToken);

    /// <summary>
    /// Runs one statement in a transaction of its own. It must be one that may be done twice: an engine that sends the transaction whole repeats it when the session was lost, whatever became of
    /// it.
    /// </summary>
    Task<T> WriteOneAsync<T>(Func<ISession, CancellationToken, Task<T>> work, CancellationToken cancellationToken) =>
        WriteAsync(async (session, cancel) => new WriteResult<T>(await work(session, cancel), Commit: true), resolve: null, cancellationToken);

    /// <summary>Ends the sessions of the store whose lease has ended, unless it is <paramref name="holder"/>'s or this store's: one that was paused just before its commit holds the head's lock.</summary>
    Task EndExpiredHolderAsync(string holder, CancellationToken cancellationToken);

    /// <summary>
    /// Runs work that only reads once a lost session's transaction has ended: the session may be at work still, but holds the head row until then. So there is no "not yet" in what is read.
    /// </summary>
    Task<T> ReadAfterAsync<T>(int session, Func<ISession, CancellationToken, Task<T>> work);

    /// <summary>Says whether a row with the same key was there.</summary>
    bool IsDuplicate(StorageCorruptException e);

    /// <summary>Begins a transaction that reads all at one moment, which it takes now. Its sessions may idle for long.</summary>
    Task<ITransaction> BeginConsistentReadAsync(CancellationToken cancellationToken);

    /// <summary>Begins a transaction beside which nobody writes. Its sessions may idle for long.</summary>
    Task<ITransaction> BeginImportAsync(CancellationToken cancellationToken);
}
