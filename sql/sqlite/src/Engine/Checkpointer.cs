namespace Optiks.Storage.Sqlite.Engine;

/// <summary>
/// Copies what a process wrote from the database's write-ahead log into its file, beside all writers: left to SQLite, every 1,000 pages a commit does that itself, and
/// somebody's update waits for it. Any thread.
/// </summary>
/// <remarks>What is in the log is durable already, so a checkpoint that fails loses nothing: the next one does it, and a disk that takes no more is found by commits.</remarks>
internal sealed class Checkpointer : IAsyncDisposable
{
    // SQLite's own figure.
    private const int PagesApart = 1000;

    // SQLite begins the log anew once a writer finds all of it copied. Where writers never leave that moment, it is made, if no reader is in its way; only when all is copied but for the last moments, as writers wait
    // for the rest.
    private const int MaxLogPages = 16_384;

    private readonly Connection _connection;
    private Task _running = Task.CompletedTask;
    private int _pages;

    /// <summary>Checkpointer of a file, which it opens.</summary>
    public Checkpointer(SqliteSettings settings) => _connection = Connection.Open(settings, readOnly: false);

    /// <summary>Says how many pages a transaction put into the log. Not at the same time as another call, or as <see cref="DisposeAsync"/>.</summary>
    public void Wrote(int pages)
    {
        _pages += pages;
        if (_pages >= PagesApart && _running.IsCompleted)
        {
            _pages = 0;
            _running = Task.Run(Checkpoint);
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _running;
        _connection.Dispose();
    }

    private void Checkpoint()
    {
        try
        {
            // Not into a file that is no longer the database.
            _connection.ThrowIfMoved();
            (int pages, int copied) = _connection.Checkpoint(restarts: false);
            if (pages > MaxLogPages && copied == pages)
            {
                _ = _connection.Checkpoint(restarts: true);
            }
        }
        catch (StorageException)
        {
            // As the remarks say.
        }
    }
}
