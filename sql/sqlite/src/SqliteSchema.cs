using System.Globalization;
using System.Reflection;
using Optiks.Storage.Sqlite.Engine;

namespace Optiks.Storage.Sqlite;

/// <summary>SqliteSchema knows the migrations of this build and what a database has of them.</summary>
internal static class SqliteSchema
{
    /// <summary>ApplicationId in the file's header ("OPTK"): no other program's file is taken for ours.</summary>
    public const int ApplicationId = 0x4F50544B;

    /// <summary>Migrations in order: number i + 1, name as <c>0001_create_tables</c>, and the SQL.</summary>
    public static IReadOnlyList<(string Name, string Sql)> Migrations { get; } = Load();

    /// <summary>Version that this build needs.</summary>
    public static int TargetVersion => Migrations.Count;

    /// <summary>ReadVersion reads the version of a database; 0 when it is empty. Throws <see cref="StorageMisconfiguredException"/> for another program's database.</summary>
    public static int ReadVersion(Connection connection)
    {
        long id = connection.ReadLong("PRAGMA application_id");
        if (id == ApplicationId)
        {
            return (int)connection.ReadLong("SELECT coalesce(max(version), 0) FROM migration");
        }
        return id == 0 && connection.ReadLong("SELECT count(*) FROM sqlite_schema") == 0
            ? 0
            : throw new StorageMisconfiguredException($"The file {connection.Path} is another program's SQLite database.");
    }

    /// <summary>ThrowIfUnusable checks what a service must not work without: the schema's version, the log ahead of the file, and syncing at every commit.</summary>
    public static void ThrowIfUnusable(Connection connection)
    {
        int version = ReadVersion(connection);
        if (version != TargetVersion)
        {
            throw new StorageMisconfiguredException(version < TargetVersion
                ? $"The database {connection.Path} has schema version {version}, this program needs {TargetVersion}: run 'optiks-db migrate'."
                : $"The database {connection.Path} has schema version {version}, newer than this program's {TargetVersion}: run a newer version of this program.");
        }
        string journal = connection.ReadText("PRAGMA journal_mode");
        if (journal != "wal")
        {
            throw new StorageMisconfiguredException($"The database {connection.Path} has journal mode '{journal}' instead of WAL: run 'optiks-db migrate', on a local file system.");
        }
        // 2 is FULL, 3 EXTRA.
        long synchronous = connection.ReadLong("PRAGMA synchronous");
        if (synchronous < 2)
        {
            throw new StorageMisconfiguredException($"SQLite works with synchronous={synchronous} for {connection.Path}, which loses commits at a power cut: it must be FULL.");
        }
    }

    private static List<(string Name, string Sql)> Load()
    {
        Assembly assembly = typeof(SqliteSchema).Assembly;
        var migrations = new List<(string Name, string Sql)>();
        foreach (string name in assembly.GetManifestResourceNames().Order(StringComparer.Ordinal))
        {
            if (int.Parse(name.AsSpan(0, 4), NumberStyles.None, CultureInfo.InvariantCulture) != migrations.Count + 1)
            {
                throw new InvalidOperationException($"Migration {name} does not follow number {migrations.Count}.");
            }
            using Stream stream = assembly.GetManifestResourceStream(name)!;
            using var reader = new StreamReader(stream);
            migrations.Add((name, reader.ReadToEnd()));
        }
        return migrations;
    }
}
