using Microsoft.Data.SqlClient;

namespace Optiks.Storage.SqlServer.Engine;

/// <summary>LongTransaction is a transaction over many calls, on a connection of its own. Disposing of it takes everything back that was not committed. Not thread-safe.</summary>
internal sealed class LongTransaction : IAsyncDisposable
{
    private readonly Database _database;
    private readonly SqlConnection _connection;
    private readonly SqlTransaction _transaction;
    private readonly Connection _commands;

    public LongTransaction(Database database, SqlConnection connection, SqlTransaction transaction, Connection commands)
    {
        _database = database;
        _connection = connection;
        _transaction = transaction;
        _commands = commands;
    }

    /// <summary>Location of the database for messages.</summary>
    public string Location => _database.Location;

    /// <summary>RunAsync runs one call's work.</summary>
    public Task<T> RunAsync<T>(Func<Connection, Task<T>> work, CancellationToken cancellationToken) => _database.TranslateAsync(() => work(_commands), cancellationToken);

    /// <summary>CommitAsync keeps everything.</summary>
    public Task CommitAsync() => _database.TranslateAsync<object?>(
        async () =>
        {
            await _transaction.CommitAsync(CancellationToken.None);
            return null;
        },
        CancellationToken.None);

    public async ValueTask DisposeAsync()
    {
        await _transaction.DisposeAsync();
        await _connection.DisposeAsync();
    }
}
