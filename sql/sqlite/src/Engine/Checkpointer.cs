namespace Optiks.Storage.Sqlite.Engine;

/// <summary>
/// Copies pages that this process wrote from the database's write-ahead log into the database file, while writers continue to work. Without
/// this class, SQLite itself would copy them during a commit, once every 1,000 pages, and an update would have to wait for the copying.
/// Thread-safe.
/// </summary>
/// <remarks>
/// Pages in the log are already durable, so a failed checkpoint loses nothing, and the next checkpoint copies them. This class ignores a
/// full disk, because commits report it.
/// </remarks>
internal sealed class Checkpointer : IAsyncDisposable
{
    // The number of written pages after which a checkpoint runs; it is SQLite's own default.
    private const int PagesApart = 1000;

    // The length of the log, in pages, above which the checkpointer forces a restart of the log. SQLite restarts the log from its beginning
    // when a writer finds that the whole log is copied. If writers never leave enough time for this, the log would grow without limit, so
    // the checkpointer forces a restart unless a reader prevents it. It does so only when everything except the latest pages is copied,
    // because writers wait while it copies the remaining pages.
    private const int MaxLogPages = 16_384;

    private readonly Connection _connection;
    private Task _running = Task.CompletedTask;
    private int _pages;

    /// <summary>Opens the database file on a connection of its own.</summary>
    public Checkpointer(SqliteSettings settings) => _connection = Connection.Open(settings, readOnly: false);

    /// <summary>
    /// Adds the number of pages that a transaction wrote to the log, and starts a checkpoint if enough pages were written. Must not run at
    /// the same time as another call or as <see cref="DisposeAsync"/>.
    /// </summary>
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
            // The checkpoint must not write into a file that was replaced at the database's path.
            _connection.ThrowIfMoved();
            (int pages, int copied) = _connection.Checkpoint(restarts: false);
            if (pages > MaxLogPages && copied == pages)
            {
                _ = _connection.Checkpoint(restarts: true);
            }
        }
        catch (StorageException)
        {
            // A failed checkpoint loses nothing, because the pages stay in the log.
        }
    }
}
