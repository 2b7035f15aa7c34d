using System.Data;
using System.Data.Common;

namespace Optiks.Storage;

/// <summary>
/// Runs one role's work on a pool of ADO.NET connections to a server. Safe for concurrent use. If the session is lost before the commit is
/// sent, the work had no effect, and this class repeats it once on a new connection. Once a commit was sent, only <see cref="RepeatAsync"/>
/// repeats the work.
/// </summary>
/// <typeparam name="TConnection">The type of the engine's connection.</typeparam>
/// <typeparam name="TSession">The type of the engine's session on such a connection.</typeparam>
public abstract class ServerDatabase<TConnection, TSession> : IDatabase
    where TConnection : DbConnection
    where TSession : class, ISession
{
    private volatile bool _isOpen;

    /// <inheritdoc/>
    public abstract string Location { get; }

    /// <inheritdoc/>
    public abstract string SessionName { get; }

    /// <inheritdoc/>
    public abstract Statements Statements { get; }

    /// <inheritdoc/>
    public abstract TimeSpan PollInterval { get; }

    /// <inheritdoc/>
    public bool HasOneWriter => false;

    /// <summary>
    /// Whether the checks at the start have passed. If so, an error that would have failed these checks is treated as temporary
    /// (<see cref="StorageMisconfiguredException.JudgeOpened"/>).
    /// </summary>
    protected bool IsOpen => _isOpen;

    /// <summary>
    /// The isolation level of the transaction in which reads run. If it is null, reads run without a transaction, because each statement
    /// sees the database at one point in time anyway.
    /// </summary>
    protected abstract IsolationLevel? ReadIsolation { get; }

    /// <summary>
    /// Locks the head row until the transaction ends, no matter who holds the lease, so that no other transaction can write an epoch
    /// meanwhile.
    /// </summary>
    protected abstract Sql LockHead { get; }

    /// <inheritdoc/>
    public abstract Task NextPublished();

    /// <summary>Runs work that only reads.</summary>
    public Task<T> ReadAsync<T>(Func<TSession, CancellationToken, Task<T>> work, CancellationToken cancellationToken) => TwiceIfLostAsync(
        async () =>
        {
            await using TConnection connection = await ConnectAsync(cancellationToken);
            await using DbTransaction? transaction = ReadIsolation is { } isolation
                ? await connection.BeginTransactionAsync(isolation, cancellationToken)
                : null;
            return await work(Session(connection, transaction), cancellationToken);
        },
        cancellationToken);

    /// <summary>
    /// Runs work that is safe to run twice and whose statements begin and end their own transactions. If the session is lost, this method
    /// repeats the work once on a new connection, even if a transaction took effect.
    /// </summary>
    public Task<T> RepeatAsync<T>(Func<TSession, CancellationToken, Task<T>> work, CancellationToken cancellationToken) => TwiceIfLostAsync(
        async () =>
        {
            await using TConnection connection = await ConnectAsync(cancellationToken);
            TSession session = Session(connection, null);
            try
            {
                T result = await work(session, cancellationToken);
                ThrowIfUnconfirmed(session);
                return result;
            }
            catch
            {
                Abandon(connection);
                throw;
            }
        },
        cancellationToken);

    /// <inheritdoc cref="IDatabase.WriteAsync"/>
    public Task<T> WriteAsync<T>(Func<TSession, CancellationToken, Task<WriteResult<T>>> work, Func<int, Task<WriteResult<T>?>>? resolve,
        CancellationToken cancellationToken) => TranslateAsync(
        async () =>
        {
            Pending<T> pending = await TwiceIfLostAsync(() => BeginAsync(work, cancellationToken), cancellationToken);
            // Disposing of the transaction rolls it back if it is not committed.
            await using (pending.Connection)
            await using (pending.Transaction)
            {
                if (!pending.Result.Commit)
                {
                    return pending.Result.Value;
                }
                int number = Number(pending.Connection);
                try
                {
                    // The commit cannot be cancelled, because a cancelled commit may nevertheless take effect, and the caller would not
                    // know.
                    await pending.Transaction.CommitAsync(CancellationToken.None);
                    ThrowIfUnconfirmed(pending.Session);
                    return pending.Result.Value;
                }
                catch (Exception e) when (resolve is not null
                    && (e is StorageUnavailableException || Judge(e, CancellationToken.None) is not null))
                {
                    if (await resolve(number) is { } known)
                    {
                        return known.Value;
                    }
                    throw;
                }
            }
        },
        cancellationToken);

    /// <inheritdoc/>
    Task<T> IDatabase.ReadAsync<T>(Func<ISession, CancellationToken, Task<T>> work, CancellationToken cancellationToken) =>
        ReadAsync<T>(work, cancellationToken);

    /// <inheritdoc/>
    Task<T> IDatabase.WriteAsync<T>(Func<ISession, CancellationToken, Task<WriteResult<T>>> work, Func<int, Task<WriteResult<T>?>>? resolve,
        CancellationToken cancellationToken) =>
        WriteAsync<T>(work, resolve, cancellationToken);

    /// <inheritdoc/>
    public abstract Task EndExpiredHolderAsync(string holder, CancellationToken cancellationToken);

    /// <inheritdoc/>
    public async Task<T> ReadAfterAsync<T>(int session, Func<ISession, CancellationToken, Task<T>> work)
    {
        await EndAsync(session);
        return await WriteAsync(
            async (other, cancel) =>
            {
                // The lost session may still be running, and it locks the head row until its transaction ends. So reads after this lock see
                // the final result of that transaction.
                _ = await other.ChangeAsync(LockHead, cancel);
                // The rows that the work reads may exist only on this server, and not yet on its standby servers. The lock adds an entry to
                // the server's log, and this commit waits until the required standby servers confirm the entry. Then they have the rows
                // too.
                return new WriteResult<T>(await work(other, cancel), Commit: true);
            },
            resolve: null,
            CancellationToken.None);
    }

    /// <inheritdoc/>
    public abstract bool IsDuplicate(StorageCorruptException e);

    /// <inheritdoc/>
    public abstract Task<ITransaction> BeginConsistentReadAsync(CancellationToken cancellationToken);

    /// <inheritdoc/>
    public abstract Task<ITransaction> BeginImportAsync(CancellationToken cancellationToken);

    /// <inheritdoc/>
    public abstract ValueTask DisposeAsync();

    /// <summary>Takes a connection from the pool.</summary>
    protected abstract Task<TConnection> ConnectAsync(CancellationToken cancellationToken);

    /// <summary>Opens a connection for a transaction that lasts over many calls.</summary>
    protected virtual Task<TConnection> ConnectAloneAsync(CancellationToken cancellationToken) => ConnectAsync(cancellationToken);

    /// <summary>Creates a session on a connection. The session's statements belong to the transaction, if one is given.</summary>
    protected abstract TSession Session(TConnection connection, DbTransaction? transaction);

    /// <summary>Returns the number that the server gave to a connection's session.</summary>
    protected abstract int Number(TConnection connection);

    /// <summary>Ends one session on the server, if the session still belongs to this store.</summary>
    protected abstract Task EndAsync(int session);

    /// <summary>Discards a connection that a failed statement may have left inside its own transaction.</summary>
    protected virtual void Abandon(TConnection connection)
    {
    }

    /// <summary>
    /// Closes each connection of the pool as soon as nobody uses it. This class calls the method when the server refuses work that it
    /// allowed before: even after an operator restores the right, existing sessions may not notice.
    /// </summary>
    protected virtual void DropSessions()
    {
    }

    /// <summary>
    /// Throws <see cref="StorageUnavailableException"/> if the server reported a commit of this session as done although a required standby
    /// server had not confirmed it. Such a commit is durable only on one server and visible to everybody, and a failover may undo it.
    /// </summary>
    protected virtual void ThrowIfUnconfirmed(TSession session)
    {
    }

    /// <summary>
    /// Returns whether the error means that the session is lost. A timeout does not mean that the session is lost, because the server may
    /// still be working.
    /// </summary>
    protected abstract bool IsConnectionLost(Exception e);

    /// <summary>
    /// Translates an error of the engine into an exception of the storage contract; returns null if the error did not come from the engine.
    /// </summary>
    protected abstract Exception? Translate(Exception e, CancellationToken cancellationToken);

    /// <summary>Begins a transaction that lasts over many calls, and runs its first statements.</summary>
    protected Task<ITransaction> BeginAsync(IsolationLevel isolation, Func<TSession, Task> begin, CancellationToken cancellationToken) =>
        TwiceIfLostAsync<ITransaction>(
        async () =>
        {
            TConnection connection = await ConnectAloneAsync(cancellationToken);
            try
            {
                DbTransaction transaction = await connection.BeginTransactionAsync(isolation, cancellationToken);
                TSession session = Session(connection, transaction);
                await begin(session);
                return new LongTransaction(this, connection, transaction, session);
            }
            catch
            {
                await connection.DisposeAsync();
                throw;
            }
        },
        cancellationToken);

    /// <summary>
    /// Runs the checks at the start and then the first statement of a role. That statement changes nothing and fails if the database user
    /// lacks the role's rights.
    /// </summary>
    protected async Task OpenAsync(Func<TSession, CancellationToken, Task> check, Sql? firstWork, CancellationToken cancellationToken)
    {
        _ = await ReadAsync<object?>(
            async (session, cancel) =>
            {
                await check(session, cancel);
                if (firstWork is not null)
                {
                    _ = await session.ChangeAsync(firstWork, cancel);
                }
                return null;
            },
            cancellationToken);
        _isOpen = true;
    }

    /// <summary>
    /// Runs work, and repeats it once on another connection when the session was lost. The pool replaces a connection that it has found to
    /// be lost.
    /// </summary>
    protected Task<T> TwiceIfLostAsync<T>(Func<Task<T>> work, CancellationToken cancellationToken) => TranslateAsync(
        async () =>
        {
            try
            {
                return await work();
            }
            catch (Exception e) when (IsConnectionLost(e))
            {
                return await work();
            }
        },
        cancellationToken);

    private async Task<T> TranslateAsync<T>(Func<Task<T>> work, CancellationToken cancellationToken)
    {
        try
        {
            return await work();
        }
        catch (Exception e) when (Judge(e, cancellationToken) is { } known)
        {
            if (_isOpen && known is StorageUnavailableException { InnerException: StorageMisconfiguredException })
            {
                DropSessions();
            }
            throw known;
        }
    }

    // Returns the exception that the caller throws instead of the error; null if the caller throws the error itself.
    private Exception? Judge(Exception e, CancellationToken cancellationToken)
    {
        Exception? known = Translate(e, cancellationToken);
        return _isOpen && (known ?? e) is StorageMisconfiguredException setting
            ? StorageMisconfiguredException.JudgeOpened(setting)
            : known;
    }

    private async Task<Pending<T>> BeginAsync<T>(
        Func<TSession, CancellationToken, Task<WriteResult<T>>> work, CancellationToken cancellationToken)
    {
        TConnection connection = await ConnectAsync(cancellationToken);
        try
        {
            DbTransaction transaction = await connection.BeginTransactionAsync(IsolationLevel.ReadCommitted, cancellationToken);
            TSession session = Session(connection, transaction);
            return new Pending<T>(connection, transaction, session, await work(session, cancellationToken));
        }
        catch
        {
            // Disposing of the connection rolls the transaction back.
            await connection.DisposeAsync();
            throw;
        }
    }

    private sealed record Pending<T>(TConnection Connection, DbTransaction Transaction, TSession Session, WriteResult<T> Result);

    private sealed class LongTransaction(
        ServerDatabase<TConnection, TSession> database, TConnection connection, DbTransaction transaction, TSession session) : ITransaction
    {
        public Task<T> RunAsync<T>(Func<ISession, Task<T>> work, CancellationToken cancellationToken) =>
            database.TranslateAsync(() => work(session), cancellationToken);

        public Task CommitAsync() => database.TranslateAsync<object?>(
            async () =>
            {
                await transaction.CommitAsync(CancellationToken.None);
                database.ThrowIfUnconfirmed(session);
                return null;
            },
            CancellationToken.None);

        public async ValueTask DisposeAsync()
        {
            await transaction.DisposeAsync();
            await connection.DisposeAsync();
        }
    }
}
