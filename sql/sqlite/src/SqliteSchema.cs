using Optiks.Storage.Sqlite.Engine;

namespace Optiks.Storage.Sqlite;

/// <summary>Holds the schema of this build and checks databases against it.</summary>
internal static class SqliteSchema
{
    /// <summary>
    /// The application id in the header of the database file, "OPTK" in ASCII. It prevents this project from using another program's file
    /// as its database.
    /// </summary>
    public const int ApplicationId = 0x4F50544B;

    /// <summary>The schema of this build.</summary>
    public static Schema Schema { get; } = new(typeof(SqliteSchema).Assembly);

    /// <summary>
    /// Reads the version of a database; returns 0 when the database is empty. Throws <see cref="StorageMisconfiguredException"/> for
    /// another program's database.
    /// </summary>
    public static int ReadVersion(Connection connection)
    {
        // The order of the two reads matters. If another migrator fills the file between them, this check has found an empty file, and the
        // application id that is read next is already the right one.
        bool isEmpty = connection.ReadLong("SELECT count(*) FROM sqlite_schema") == 0;
        long id = connection.ReadLong("PRAGMA application_id");
        if (id == ApplicationId)
        {
            return (int)connection.ReadLong("SELECT coalesce(max(version), 0) FROM migration");
        }
        return id == 0 && isEmpty
            ? 0
            : throw new StorageMisconfiguredException($"The file {connection.Path} is another program's SQLite database.");
    }

    /// <summary>
    /// Throws unless the schema has this build's version, the write-ahead log is on, and SQLite syncs the file at every commit.
    /// </summary>
    public static void ThrowIfUnusable(Connection connection)
    {
        Schema.ThrowIfOther(ReadVersion(connection), connection.Path);
        string journal = connection.ReadText("PRAGMA journal_mode");
        if (journal != "wal")
        {
            throw new StorageMisconfiguredException(
                $"The database {connection.Path} has journal mode '{journal}' instead of WAL: run 'optiks-db migrate', on a local file system.");
        }
        // In SQLite's numbering, 2 means FULL and 3 means EXTRA.
        long synchronous = connection.ReadLong("PRAGMA synchronous");
        if (synchronous < 2)
        {
            throw new StorageMisconfiguredException(
                $"SQLite works with synchronous={synchronous} for {connection.Path}, which loses commits at a power cut: it must be FULL.");
        }
    }
}
