using SQLitePCL;

namespace Optiks.Storage.Sqlite.Engine;

/// <summary>Translates SQLite's result codes into exceptions of the storage contract, whose messages say what the operator can
/// do.</summary>
internal static class SqliteErrors
{
    /// <summary>Creates the exception for a path that no longer has the file that was opened.</summary>
    public static StorageMisconfiguredException Moved(string path) => new(
        $"The database file {path} was deleted, moved or replaced while it was open: nothing more is written to the old file. Put the right file back and restart this program.")
    {
        IsOtherDatabase = true,
    };

    /// <summary>Creates the exception for the case that another program held the write lock too long.</summary>
    public static StorageUnavailableException Busy(string path) => new(
        $"The database {path} is busy: another program has held its write lock too long. Nothing was stored; try again.");

    /// <summary>
    /// Creates the exception for a read-only file system, for example one that the operating system mounted read-only again after a disk
    /// error.
    /// </summary>
    public static StorageUnavailableException ReadOnlyFileSystem(string path) => new(
        $"The database {path} is on a file system that is mounted read-only: nothing was stored. Look for disk errors, then mount it for writing.");

    /// <summary>Creates the exception for a file that the process's user may not write.</summary>
    public static StorageMisconfiguredException WriteProtected(string path) =>
        new($"The database {path} cannot be written: check its owner and mode.");

    /// <summary>
    /// Creates the exception for a result code and SQLite's own message. That message names tables and columns, but contains no stored
    /// data.
    /// </summary>
    public static StorageException From(int extendedCode, string message, string path) => (extendedCode & 0xFF) switch
    {
        raw.SQLITE_BUSY or raw.SQLITE_LOCKED => Busy(path),
        raw.SQLITE_FULL =>
            new StorageUnavailableException($"The disk of the database {path} is full: make room, nothing was stored ({message})."),
        raw.SQLITE_IOERR or raw.SQLITE_CANTOPEN or raw.SQLITE_NOMEM or raw.SQLITE_INTERRUPT or raw.SQLITE_PROTOCOL =>
            new StorageUnavailableException($"The database {path} cannot be read or written: {message} (SQLite code {extendedCode})."),
        raw.SQLITE_READONLY when extendedCode == raw.SQLITE_READONLY_DBMOVED => Moved(path),
        raw.SQLITE_READONLY or raw.SQLITE_PERM or raw.SQLITE_AUTH =>
            new StorageMisconfiguredException($"The database {path} cannot be written: check its owner and mode ({message})."),
        raw.SQLITE_NOTADB => new StorageMisconfiguredException($"The file {path} is not a SQLite database."),
        _ =>
            new StorageCorruptException(
                $"The database {path} contradicts itself or its schema: {message} (SQLite code {extendedCode}). Run 'sqlite3 FILE \"PRAGMA integrity_check\"' and restore it if that fails."),
    };
}
