using System.Data;
using Npgsql;

namespace Optiks.Storage.PostgreSql.Engine;

/// <summary>
/// Database is one role's pool of connections. Safe for concurrent use. Work that failed because its session was gone before a commit was sent is done once more on a new
/// connection: nothing of it happened. A commit that was sent is never repeated, but for <see cref="RepeatAsync"/>.
/// </summary>
internal sealed class Database : IAsyncDisposable
{
    private readonly NpgsqlDataSource _source;

    private Database(PostgreSqlSettings settings)
    {
        Location = settings.Location;
        Session = settings.Session;
        _source = settings.CreateDataSource();
    }

    /// <summary>Location for messages, without secrets.</summary>
    public string Location { get; }

    /// <summary>Session is the application_name of these connections.</summary>
    public string Session { get; }

    /// <summary>OpenAsync opens the database and checks what a service must not work without.</summary>
    public static async Task<Database> OpenAsync(PostgreSqlSettings settings, CancellationToken cancellationToken)
    {
        Database database = Connect(settings);
        try
        {
            await database.ReadAsync<object?>(
                async (connection, cancel) =>
                {
                    await PostgreSqlSchema.ThrowIfUnusableAsync(connection, database.Location, cancel);
                    return null;
                },
                cancellationToken);
            return database;
        }
        catch
        {
            await database.DisposeAsync();
            throw;
        }
    }

    /// <summary>Connect makes the pool without a check: for the migrator.</summary>
    public static Database Connect(PostgreSqlSettings settings) => new(settings);

    /// <summary>ReadAsync runs work in one read-only transaction that sees one moment of the database.</summary>
    public Task<T> ReadAsync<T>(Func<NpgsqlConnection, CancellationToken, Task<T>> work, CancellationToken cancellationToken) => TranslateAsync(
        () => TwiceIfLostAsync(
            async () =>
            {
                await using NpgsqlConnection connection = await _source.OpenConnectionAsync(cancellationToken);
                await using NpgsqlTransaction transaction = await connection.BeginTransactionAsync(IsolationLevel.RepeatableRead, cancellationToken);
                return await work(connection, cancellationToken);
            }));

    /// <summary>
    /// RepeatAsync runs work that is one transaction of its own, such as one batch, and that may be done twice: when the session is lost, whatever became of the transaction, it is
    /// done once more on a new connection.
    /// </summary>
    public Task<T> RepeatAsync<T>(Func<NpgsqlConnection, CancellationToken, Task<T>> work, CancellationToken cancellationToken) => TranslateAsync(
        () => TwiceIfLostAsync(
            async () =>
            {
                await using NpgsqlConnection connection = await _source.OpenConnectionAsync(cancellationToken);
                return await work(connection, cancellationToken);
            }));

    /// <summary>
    /// WriteAsync runs work in a transaction, and commits if it says so. When the commit fails, <paramref name="resolve"/> (given the lost
    /// session's process id) finds out what became of it; null, or without one: the failure is the answer.
    /// </summary>
    public Task<T> WriteAsync<T>(
        Func<NpgsqlConnection, CancellationToken, Task<WriteResult<T>>> work, Func<int, Task<WriteResult<T>?>>? resolve, CancellationToken cancellationToken) => TranslateAsync(
        async () =>
        {
            Pending<T> pending = await TwiceIfLostAsync(() => BeginAsync(work, cancellationToken));
            await using (pending.Connection)
            await using (pending.Transaction)
            {
                if (!pending.Result.Commit)
                {
                    await pending.Transaction.RollbackAsync(CancellationToken.None);
                    return pending.Result.Value;
                }
                int process = pending.Connection.ProcessID;
                try
                {
                    // Not to be cancelled: that would only hide what became of it.
                    await pending.Transaction.CommitAsync(CancellationToken.None);
                    return pending.Result.Value;
                }
                catch (NpgsqlException) when (resolve is not null)
                {
                    if (await resolve(process) is { } known)
                    {
                        return known.Value;
                    }
                    throw;
                }
            }
        });

    /// <summary>OpenConnectionAsync gives a connection that the caller keeps: for notifications, snapshots and imports.</summary>
    public Task<NpgsqlConnection> OpenConnectionAsync(CancellationToken cancellationToken) =>
        TranslateAsync(() => TwiceIfLostAsync(
            async () =>
            {
                NpgsqlConnection connection = await _source.OpenConnectionAsync(cancellationToken);
                try
                {
                    _ = await connection.Command("SELECT 1").ExecuteScalarAsync(cancellationToken);
                    return connection;
                }
                catch
                {
                    await connection.DisposeAsync();
                    throw;
                }
            }));

    /// <summary>TranslateAsync turns the engine's errors into the contract's.</summary>
    public async Task<T> TranslateAsync<T>(Func<Task<T>> work)
    {
        try
        {
            return await work();
        }
        catch (NpgsqlException e)
        {
            throw PostgreSqlErrors.Translate(e, Location);
        }
    }

    public ValueTask DisposeAsync() => _source.DisposeAsync();

    // The pool drops all its connections when one of them turns out to be lost: the second try gets a new one.
    private static async Task<T> TwiceIfLostAsync<T>(Func<Task<T>> work)
    {
        try
        {
            return await work();
        }
        catch (NpgsqlException e) when (PostgreSqlErrors.IsConnectionLost(e))
        {
            return await work();
        }
    }

    private async Task<Pending<T>> BeginAsync<T>(Func<NpgsqlConnection, CancellationToken, Task<WriteResult<T>>> work, CancellationToken cancellationToken)
    {
        NpgsqlConnection connection = await _source.OpenConnectionAsync(cancellationToken);
        try
        {
            NpgsqlTransaction transaction = await connection.BeginTransactionAsync(IsolationLevel.ReadCommitted, cancellationToken);
            return new Pending<T>(connection, transaction, await work(connection, cancellationToken));
        }
        catch
        {
            // Rolls back.
            await connection.DisposeAsync();
            throw;
        }
    }

    private sealed record Pending<T>(NpgsqlConnection Connection, NpgsqlTransaction Transaction, WriteResult<T> Result);
}
