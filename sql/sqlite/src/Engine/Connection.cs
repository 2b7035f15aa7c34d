using System.Globalization;
using SQLitePCL;

namespace Optiks.Storage.Sqlite.Engine;

/// <summary>
/// A connection to one database file, with its prepared statements. Only one thread at a time may use it. This class calls SQLite directly,
/// because ADO.NET would copy every byte string of a leaf into a separate array.
/// </summary>
internal sealed class Connection : IDisposable
{
    private readonly Dictionary<string, Statement> _statements = [];
    private readonly sqlite3 _handle;
    private readonly TimeSpan _busyTimeout;

    private Connection(sqlite3 handle, SqliteSettings settings)
    {
        _handle = handle;
        _busyTimeout = settings.BusyTimeout;
        Path = settings.Path;
    }

    /// <summary>The path of the database file.</summary>
    public string Path { get; }

    /// <summary>The number of rows that the last statement inserted, updated or deleted.</summary>
    public int Changes => raw.sqlite3_changes(_handle);

    /// <summary>The row id of the last insert.</summary>
    public long LastRowId => raw.sqlite3_last_insert_rowid(_handle);

    /// <summary>Whether a transaction is open. It becomes false when SQLite rolls the transaction back without being asked, such as after a
    /// full disk.</summary>
    public bool InTransaction => raw.sqlite3_get_autocommit(_handle) == 0;

    /// <summary>
    /// Opens an existing file with settings that keep every commit durable, and checks that the settings took effect. The check is needed
    /// because SQLite silently ignores settings that its build or configuration excludes. Never creates a file.
    /// </summary>
    public static Connection Open(SqliteSettings settings, bool readOnly)
    {
        SqliteLibrary.Ensure();
        if (!File.Exists(settings.Path))
        {
            throw new StorageMisconfiguredException(
                $"There is no database {settings.Path}: create it with 'optiks-db migrate', or set Optiks:Storage:ConnectionString.");
        }
        int flags = (readOnly ? raw.SQLITE_OPEN_READONLY : raw.SQLITE_OPEN_READWRITE) | raw.SQLITE_OPEN_NOMUTEX;
        int result = raw.sqlite3_open_v2(settings.Path, out sqlite3 handle, flags, null);
        var connection = new Connection(handle, settings);
        try
        {
            if (result != raw.SQLITE_OK)
            {
                throw connection.Error();
            }
            // This check is needed because SQLite silently opens a file read-only when it cannot write the file.
            if (!readOnly && raw.sqlite3_db_readonly(handle, "main") != 0)
            {
                throw SqliteLibrary.IsOnReadOnlyFileSystem(settings.Path)
                    ? SqliteErrors.ReadOnlyFileSystem(settings.Path)
                    : SqliteErrors.WriteProtected(settings.Path);
            }
            _ = raw.sqlite3_extended_result_codes(handle, 1);
            _ = raw.sqlite3_busy_timeout(handle, (int)settings.BusyTimeout.TotalMilliseconds);
            connection.Execute(string.Create(CultureInfo.InvariantCulture, $"PRAGMA synchronous = {settings.Synchronous}"));
            connection.Execute("PRAGMA trusted_schema = OFF");
            // This setting overwrites deleted data with zeros, so that an erased value does not stay in a free page of the file. When
            // SQLite moves rows between pages, old copies of the moved rows may remain; only VACUUM removes them
            // (docs/operations/state.md).
            connection.Execute("PRAGMA secure_delete = ON");
            connection.Execute("PRAGMA cache_size = -16384");
            // This call adds an SQL function that returns the clock's time in whole milliseconds, as the database stores times.
            _ = raw.sqlite3_create_function(
                handle, "clock_timestamp", 0, raw.SQLITE_UTF8, settings.Clock,
                (context, clock, _) => raw.sqlite3_result_int64(context, ((TimeProvider)clock).GetUtcNow().ToUnixTimeMilliseconds()));
            return connection;
        }
        catch
        {
            connection.Dispose();
            throw;
        }
    }

    /// <summary>Returns a prepared statement from the connection's cache, or prepares it. Callers must dispose of the statement after each
    /// use.</summary>
    public Statement Prepare(string sql)
    {
        if (!_statements.TryGetValue(sql, out Statement? statement))
        {
            if (raw.sqlite3_prepare_v2(_handle, sql, out sqlite3_stmt handle) != raw.SQLITE_OK)
            {
                throw Error();
            }
            statement = new Statement(this, handle);
            _statements.Add(sql, statement);
        }
        return statement.Take();
    }

    /// <summary>Runs one statement without parameters and ignores any rows.</summary>
    public void Execute(string sql)
    {
        using Statement statement = Prepare(sql);
        while (statement.Step())
        {
        }
    }

    /// <summary>
    /// Rolls back the transaction if one is open. None is open if SQLite has already rolled it back without being asked, such as after a
    /// full disk.
    /// </summary>
    public void RollBack()
    {
        if (InTransaction)
        {
            Execute("ROLLBACK");
        }
    }

    /// <summary>Runs several statements, such as the statements of a migration.</summary>
    public void ExecuteScript(string sql)
    {
        if (raw.sqlite3_exec(_handle, sql) != raw.SQLITE_OK)
        {
            throw Error();
        }
    }

    /// <summary>Runs one statement; returns false at once when another connection holds a lock that it needs.</summary>
    public bool TryExecute(string sql)
    {
        _ = raw.sqlite3_busy_timeout(_handle, 0);
        int result = raw.sqlite3_exec(_handle, sql);
        StorageException? error = result is raw.SQLITE_OK || (result & 0xFF) == raw.SQLITE_BUSY ? null : Error();
        _ = raw.sqlite3_busy_timeout(_handle, (int)_busyTimeout.TotalMilliseconds);
        return error is null ? result == raw.SQLITE_OK : throw error;
    }

    /// <summary>Stops SQLite from running checkpoints during this connection's commits.</summary>
    public void LeaveCheckpoints() => _ = raw.sqlite3_wal_autocheckpoint(_handle, 0);

    /// <summary>Returns the number of pages that this connection has written since the last call.</summary>
    public int TakeWrittenPages() =>
        raw.sqlite3_db_status(_handle, raw.SQLITE_DBSTATUS_CACHE_WRITE, out int pages, out _, resetFlg: 1) == raw.SQLITE_OK ? pages : 0;

    /// <summary>
    /// Copies as many pages of the log as possible into the file, without blocking readers and writers. Pages that a transaction still uses
    /// stay for the next call. Returns the number of pages in the log, and how many of these pages the file already has. Both numbers are 0
    /// if another connection was running a checkpoint.
    /// </summary>
    /// <param name="restarts">
    /// Whether the next writing transaction should begin the log anew. If so, writers wait during this call. The value has no effect while
    /// a reader or writer uses the log.
    /// </param>
    public (int Pages, int Copied) Checkpoint(bool restarts)
    {
        _ = raw.sqlite3_busy_timeout(_handle, 0);
        int result = raw.sqlite3_wal_checkpoint_v2(
            _handle, "main", restarts ? raw.SQLITE_CHECKPOINT_RESTART : raw.SQLITE_CHECKPOINT_PASSIVE, out int pages, out int copied);
        return result == raw.SQLITE_OK || (result & 0xFF) is raw.SQLITE_BUSY or raw.SQLITE_LOCKED
            ? (Math.Max(0, pages), Math.Max(0, copied))
            : throw Error();
    }

    /// <summary>Runs a query that returns one number.</summary>
    public long ReadLong(string sql)
    {
        using Statement statement = Prepare(sql);
        return statement.Step() ? statement.GetInt64(0) : throw new StorageCorruptException($"The database {Path} did not answer '{sql}'.");
    }

    /// <summary>Runs a query that returns one text.</summary>
    public string ReadText(string sql)
    {
        using Statement statement = Prepare(sql);
        return statement.Step() ? statement.GetText(0) : throw new StorageCorruptException($"The database {Path} did not answer '{sql}'.");
    }

    /// <summary>
    /// Throws if the file was deleted or replaced since it was opened. On Linux, writes to a deleted file succeed, but a file that replaced
    /// it does not get them. SQLite makes the check: it compares the inode of the opened file with the inode at the path.
    /// </summary>
    public void ThrowIfMoved()
    {
        if (SqliteLibrary.HasMoved(_handle))
        {
            throw SqliteErrors.Moved(Path);
        }
    }

    /// <summary>Creates the exception for the error that the last call of SQLite returned.</summary>
    public StorageException Error() =>
        SqliteErrors.From(raw.sqlite3_extended_errcode(_handle), raw.sqlite3_errmsg(_handle).utf8_to_string(), Path);

    public void Dispose()
    {
        foreach (Statement statement in _statements.Values)
        {
            statement.Close();
        }
        _statements.Clear();
        _handle.Dispose();
    }
}
