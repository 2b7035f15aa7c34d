using System.Data;
using Microsoft.Data.SqlClient;

namespace Optiks.Storage.SqlServer.Engine;

/// <summary>
/// Database is one role's pool of connections. Safe for concurrent use. Work that failed because its session was gone before a commit was sent is done once more on a new
/// connection: nothing of it happened. A commit that was sent is never repeated.
/// </summary>
internal sealed class Database : IAsyncDisposable
{
    private readonly SqlServerSettings _settings;
    private volatile bool _isBabelfish;
    private volatile bool _wasOpen;

    private Database(SqlServerSettings settings) => _settings = settings;

    /// <summary>Location for messages, without secrets.</summary>
    public string Location => _settings.Location;

    /// <summary>Session is the program_name of these connections.</summary>
    public string Session => _settings.Session;

    /// <summary>OpenAsync opens the database and checks what a service must not work without.</summary>
    public static async Task<Database> OpenAsync(SqlServerSettings settings, CancellationToken cancellationToken)
    {
        Database database = Connect(settings);
        try
        {
            await database.CheckAsync(cancellationToken);
            return database;
        }
        catch
        {
            await database.DisposeAsync();
            throw;
        }
    }

    /// <summary>Connect makes the pool without a check: for the migrator.</summary>
    public static Database Connect(SqlServerSettings settings) => new(settings);

    /// <summary>CheckAsync throws where the database is not one that a service may work with.</summary>
    public async Task CheckAsync(CancellationToken cancellationToken)
    {
        _isBabelfish = await ReadAsync((connection, cancel) => SqlServerSchema.CheckAsync(connection, Location, cancel), cancellationToken);
        _wasOpen = true;
    }

    /// <summary>ReadAsync runs work that only reads, without a transaction: each statement sees one moment of the database (READ_COMMITTED_SNAPSHOT) and waits for nobody.</summary>
    public Task<T> ReadAsync<T>(Func<Connection, CancellationToken, Task<T>> work, CancellationToken cancellationToken) => TranslateAsync(
        () => TwiceIfLostAsync(
            async () =>
            {
                await using SqlConnection connection = await ConnectAsync(_settings.ConnectionString, cancellationToken);
                return await work(Commands(connection, null), cancellationToken);
            }),
        cancellationToken);

    /// <summary>
    /// RepeatAsync runs work whose statements begin and end their transactions themselves, and that may be done twice: when the session is lost, whatever became of a transaction, it is done once more on a
    /// new connection. Where it failed otherwise, no connection of now is used again: closing it ends what it may have left open.
    /// </summary>
    public Task<T> RepeatAsync<T>(Func<Connection, CancellationToken, Task<T>> work, CancellationToken cancellationToken) => TranslateAsync(
        () => TwiceIfLostAsync(
            async () =>
            {
                await using SqlConnection connection = await ConnectAsync(_settings.ConnectionString, cancellationToken);
                try
                {
                    return await work(Commands(connection, null), cancellationToken);
                }
                catch
                {
                    SqlConnection.ClearPool(connection);
                    throw;
                }
            }),
        cancellationToken);

    /// <summary>
    /// WriteAsync runs work in a transaction, and commits if it says so. When the commit fails, <paramref name="resolve"/> (given the lost session's id) finds out what became of it; null, or
    /// without one: the failure is the answer.
    /// </summary>
    public Task<T> WriteAsync<T>(
        Func<Connection, CancellationToken, Task<WriteResult<T>>> work, Func<int, Task<WriteResult<T>?>>? resolve, CancellationToken cancellationToken) => TranslateAsync(
        async () =>
        {
            Pending<T> pending = await TwiceIfLostAsync(() => BeginAsync(work, cancellationToken));
            await using (pending.Connection)
            await using (pending.Transaction)
            {
                if (!pending.Result.Commit)
                {
                    return pending.Result.Value;
                }
                int process = pending.Connection.ServerProcessId;
                try
                {
                    // Not to be cancelled: that would only hide what became of it.
                    await pending.Transaction.CommitAsync(CancellationToken.None);
                    return pending.Result.Value;
                }
                catch (Exception e) when (resolve is not null && SqlServerErrors.IsOfClient(e))
                {
                    if (await resolve(process) is { } known)
                    {
                        return known.Value;
                    }
                    throw;
                }
            }
        },
        cancellationToken);

    /// <summary>
    /// BeginAsync begins a transaction that the caller keeps: for snapshots and imports. Its connection is not pooled: a session keeps the isolation level of its last transaction, whoever uses it next.
    /// </summary>
    public Task<LongTransaction> BeginAsync(IsolationLevel isolation, CancellationToken cancellationToken) => TranslateAsync(
        async () =>
        {
            SqlConnection connection = await ConnectAsync(_settings.UnpooledConnectionString, cancellationToken);
            try
            {
                var transaction = (SqlTransaction)await connection.BeginTransactionAsync(isolation, cancellationToken);
                return new LongTransaction(this, connection, transaction, Commands(connection, transaction));
            }
            catch
            {
                await connection.DisposeAsync();
                throw;
            }
        },
        cancellationToken);

    /// <summary>TranslateAsync turns the engine's errors into the contract's.</summary>
    public async Task<T> TranslateAsync<T>(Func<Task<T>> work, CancellationToken cancellationToken)
    {
        try
        {
            return await work();
        }
        // The client reports a statement that was called off as the server's error.
        catch (SqlException e) when (cancellationToken.IsCancellationRequested && !SqlServerErrors.IsConnectionLost(e))
        {
            throw new OperationCanceledException(e.Message, e, cancellationToken);
        }
        catch (Exception e) when (SqlServerErrors.IsOfClient(e))
        {
            throw SqlServerErrors.Translate(e, Location, _wasOpen);
        }
    }

    public ValueTask DisposeAsync()
    {
        // Connections in use are closed when they are given back.
        using var any = new SqlConnection(_settings.ConnectionString);
        SqlConnection.ClearPool(any);
        return ValueTask.CompletedTask;
    }

    // The pool notices most of the connections that were lost while they lay idle; the second try gets another one.
    private static async Task<T> TwiceIfLostAsync<T>(Func<Task<T>> work)
    {
        try
        {
            return await work();
        }
        catch (SqlException e) when (SqlServerErrors.IsConnectionLost(e))
        {
            return await work();
        }
    }

    private static async Task<SqlConnection> ConnectAsync(string connectionString, CancellationToken cancellationToken)
    {
        var connection = new SqlConnection(connectionString);
        try
        {
            await connection.OpenAsync(cancellationToken);
            return connection;
        }
        catch
        {
            await connection.DisposeAsync();
            throw;
        }
    }

    private Connection Commands(SqlConnection connection, SqlTransaction? transaction) => new(connection, transaction, _settings.Limits, _isBabelfish);

    private async Task<Pending<T>> BeginAsync<T>(Func<Connection, CancellationToken, Task<WriteResult<T>>> work, CancellationToken cancellationToken)
    {
        SqlConnection connection = await ConnectAsync(_settings.ConnectionString, cancellationToken);
        try
        {
            var transaction = (SqlTransaction)await connection.BeginTransactionAsync(IsolationLevel.ReadCommitted, cancellationToken);
            return new Pending<T>(connection, transaction, await work(Commands(connection, transaction), cancellationToken));
        }
        catch
        {
            // Rolls back.
            await connection.DisposeAsync();
            throw;
        }
    }

    private sealed record Pending<T>(SqlConnection Connection, SqlTransaction Transaction, WriteResult<T> Result);
}
