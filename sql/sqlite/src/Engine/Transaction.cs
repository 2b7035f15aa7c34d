namespace Optiks.Storage.Sqlite.Engine;

/// <summary>
/// A transaction that lasts over many calls, on its own connection. While a reading transaction is open, SQLite's log keeps all writes of
/// other connections, so it grows. Not thread-safe.
/// </summary>
internal sealed class Transaction : ITransaction
{
    private readonly Session _session;

    private Transaction(Session session) => _session = session;

    /// <summary>Opens the file and begins the transaction with the given statement.</summary>
    public static Transaction Begin(Database database, SqliteSettings settings, bool readOnly, string begin)
    {
        var connection = Connection.Open(settings, readOnly);
        try
        {
            SqliteSchema.ThrowIfUnusable(connection);
            connection.Execute(begin);
            // SQLite takes a transaction's snapshot at its first read, so this statement reads a row at once.
            _ = connection.ReadLong("SELECT count(*) FROM head");
            return new Transaction(new Session(database, connection));
        }
        catch
        {
            connection.Dispose();
            throw;
        }
    }

    /// <inheritdoc/>
    public Task<T> RunAsync<T>(Func<ISession, Task<T>> work, CancellationToken cancellationToken) =>
        Task.Run(() => work(_session), cancellationToken);

    /// <inheritdoc/>
    public Task CommitAsync() => Task.Run(() =>
    {
        _session.Connection.ThrowIfMoved();
        _session.Connection.Execute("COMMIT");
    });

    public ValueTask DisposeAsync()
    {
        _session.Connection.RollBack();
        _session.Connection.Dispose();
        return ValueTask.CompletedTask;
    }
}
