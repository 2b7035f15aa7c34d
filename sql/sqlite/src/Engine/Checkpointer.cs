namespace Optiks.Storage.Sqlite.Engine;

/// <summary>
/// Copies pages that a process wrote from the database's write-ahead log into its file, at the same time as writers work. Left to SQLite,
/// every 1,000 pages a commit would do that, and an update would wait for it. Any thread.
/// </summary>
/// <remarks>
/// Pages in the log are already durable, so a failed checkpoint loses nothing: the next one copies them, and commits detect a full disk.
/// </remarks>
internal sealed class Checkpointer : IAsyncDisposable
{
    // SQLite's own default.
    private const int PagesApart = 1000;

    // SQLite restarts the log when a writer finds all of it copied. When writers leave no such gap, the checkpointer forces one if no
    // reader prevents it. It does so only when everything but the latest pages is copied, because writers wait for the rest.
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
            // A failed checkpoint loses nothing: see the remarks.
        }
    }
}
