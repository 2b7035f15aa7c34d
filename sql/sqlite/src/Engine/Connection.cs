using System.Globalization;
using SQLitePCL;

namespace Optiks.Storage.Sqlite.Engine;

/// <summary>
/// Connection is one open database with its prepared statements. One thread at a time. It talks to SQLite itself, as ADO.NET would copy
/// every octet string of a leaf into an array of its own.
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

    /// <summary>Path of the database file.</summary>
    public string Path { get; }

    /// <summary>Changes: rows that the last statement inserted, updated or deleted.</summary>
    public int Changes => raw.sqlite3_changes(_handle);

    /// <summary>LastRowId that an insert gave.</summary>
    public long LastRowId => raw.sqlite3_last_insert_rowid(_handle);

    /// <summary>False again after SQLite rolled back by itself.</summary>
    public bool InTransaction => raw.sqlite3_get_autocommit(_handle) == 0;

    /// <summary>
    /// Opens an existing file with the settings that lose no commit, and reads them back: SQLite may be built or told otherwise, and
    /// refuses silently. Never creates a file.
    /// </summary>
    public static Connection Open(SqliteSettings settings, bool readOnly)
    {
        SqliteLibrary.Ensure();
        if (!File.Exists(settings.Path))
        {
            throw new StorageMisconfiguredException($"There is no database {settings.Path}: create it with 'optiks-db migrate', or set Optiks:Storage:ConnectionString.");
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
            // SQLite opens what it cannot write for reading, and says nothing.
            if (!readOnly && raw.sqlite3_db_readonly(handle, "main") != 0)
            {
                throw SqliteLibrary.IsOnReadOnlyFileSystem(settings.Path) ? SqliteErrors.ReadOnlyFileSystem(settings.Path) : SqliteErrors.WriteProtected(settings.Path);
            }
            _ = raw.sqlite3_extended_result_codes(handle, 1);
            _ = raw.sqlite3_busy_timeout(handle, (int)settings.BusyTimeout.TotalMilliseconds);
            connection.Execute(string.Create(CultureInfo.InvariantCulture, $"PRAGMA synchronous = {settings.Synchronous}"));
            connection.Execute("PRAGMA trusted_schema = OFF");
            // What is deleted is overwritten with zeros: an erased value does not stay in a free page of the file.
            connection.Execute("PRAGMA secure_delete = ON");
            connection.Execute("PRAGMA cache_size = -16384");
            // In whole milliseconds, as times are stored.
            _ = raw.sqlite3_create_function(
                handle, "clock_timestamp", 0, raw.SQLITE_UTF8, settings.Clock, (context, clock, _) => raw.sqlite3_result_int64(context, ((TimeProvider)clock).GetUtcNow().ToUnixTimeMilliseconds()));
            return connection;
        }
        catch
        {
            connection.Dispose();
            throw;
        }
    }

    /// <summary>Takes the statement out of the connection's store; dispose it after use.</summary>
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

    /// <summary>Runs one statement without parameters; rows it returns are dropped.</summary>
    public void Execute(string sql)
    {
        using Statement statement = Prepare(sql);
        while (statement.Step())
        {
        }
    }

    /// <summary>Takes the transaction back, if there is one: SQLite may have rolled back by itself, after a full disk for instance.</summary>
    public void RollBack()
    {
        if (InTransaction)
        {
            Execute("ROLLBACK");
        }
    }

    /// <summary>Runs many statements, as a migration has them.</summary>
    public void ExecuteScript(string sql)
    {
        if (raw.sqlite3_exec(_handle, sql) != raw.SQLITE_OK)
        {
            throw Error();
        }
    }

    /// <summary>Runs one statement, and returns false at once when another connection's lock is in its way.</summary>
    public bool TryExecute(string sql)
    {
        _ = raw.sqlite3_busy_timeout(_handle, 0);
        int result = raw.sqlite3_exec(_handle, sql);
        StorageException? error = result is raw.SQLITE_OK || (result & 0xFF) == raw.SQLITE_BUSY ? null : Error();
        _ = raw.sqlite3_busy_timeout(_handle, (int)_busyTimeout.TotalMilliseconds);
        return error is null ? result == raw.SQLITE_OK : throw error;
    }

    /// <summary>LeaveCheckpoints: commits of this connection make none.</summary>
    public void LeaveCheckpoints() => _ = raw.sqlite3_wal_autocheckpoint(_handle, 0);

    /// <summary>Counts the pages that were written since the last call.</summary>
    public int TakeWrittenPages() => raw.sqlite3_db_status(_handle, raw.SQLITE_DBSTATUS_CACHE_WRITE, out int pages, out _, resetFlg: 1) == raw.SQLITE_OK ? pages : 0;

    /// <summary>
    /// Copies what it can of the log into the file, beside readers and writers, and gives how many pages the log has, and how many of them the file has; none: another connection was at it. What another
    /// transaction still uses is left for the next one.
    /// </summary>
    /// <param name="restarts">The next transaction begins the log anew: writers wait meanwhile. Without effect while anybody uses the log.</param>
    public (int Pages, int Copied) Checkpoint(bool restarts)
    {
        _ = raw.sqlite3_busy_timeout(_handle, 0);
        int result = raw.sqlite3_wal_checkpoint_v2(_handle, "main", restarts ? raw.SQLITE_CHECKPOINT_RESTART : raw.SQLITE_CHECKPOINT_PASSIVE, out int pages, out int copied);
        return result == raw.SQLITE_OK || (result & 0xFF) is raw.SQLITE_BUSY or raw.SQLITE_LOCKED ? (Math.Max(0, pages), Math.Max(0, copied)) : throw Error();
    }

    /// <summary>Runs a query of one number.</summary>
    public long ReadLong(string sql)
    {
        using Statement statement = Prepare(sql);
        return statement.Step() ? statement.Long(0) : throw new StorageCorruptException($"The database {Path} did not answer '{sql}'.");
    }

    /// <summary>Runs a query of one text.</summary>
    public string ReadText(string sql)
    {
        using Statement statement = Prepare(sql);
        return statement.Step() ? statement.Text(0) : throw new StorageCorruptException($"The database {Path} did not answer '{sql}'.");
    }

    /// <summary>
    /// ThrowIfMoved: on Linux a deleted file can be written to happily, and its successor would never see it. SQLite compares the inode it
    /// opened with the one at the path.
    /// </summary>
    public void ThrowIfMoved()
    {
        if (SqliteLibrary.HasMoved(_handle))
        {
            throw SqliteErrors.Moved(Path);
        }
    }

    /// <summary>Error of the last call.</summary>
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
