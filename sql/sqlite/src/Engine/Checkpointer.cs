namespace Optiks.Storage.Sqlite.Engine;

/// <summary>
/// Copies the pages that this process wrote from the database's write-ahead log into the database file, while writers continue to work.
/// Without this class, SQLite itself would do so in a commit, once every 1,000 pages, and an update would wait for it. Any thread.
/// </summary>
/// <remarks>
/// Pages in the log are already durable, so a failed checkpoint loses nothing: the next checkpoint copies them. A full disk is detected by
/// commits.
/// </remarks>
internal sealed class Checkpointer : IAsyncDisposable
{
    // A checkpoint runs after this many pages; the number is SQLite's own default.
    private const int PagesApart = 1000;

    // SQLite restarts the log from its beginning when a writer finds that all of the log is copied. When writers never leave enough time
    // for that, and the log is longer than this, the checkpointer forces a restart unless a reader prevents it. It forces a restart only
    // when everything except the latest pages is copied, because writers wait while it copies the remaining pages.
    private const int MaxLogPages = 16_384;

    private readonly Connection _connection;
    private Task _running = Task.CompletedTask;
    private int _pages;

    /// <summary>Opens a file for checkpoints.</summary>
    public Checkpointer(SqliteSettings settings) => _connection = Connection.Open(settings, readOnly: false);

    /// <summary>
    /// Adds the number of pages that a transaction wrote to the log. Must not run at the same time as another call or as
    /// <see cref="DisposeAsync"/>.
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
            // Does not write into a file that is no longer the database.
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
