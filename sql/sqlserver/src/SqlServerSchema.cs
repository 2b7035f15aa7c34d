using System.Globalization;
using System.Reflection;
using Microsoft.Data.SqlClient;
using Optiks.Storage.SqlServer.Engine;

namespace Optiks.Storage.SqlServer;

/// <summary>SqlServerSchema knows the migrations of this build and what a database has of them.</summary>
internal static class SqlServerSchema
{
    private const int ForcedDelayedDurability = 2;

    // A name that this user may not see is like one that is not there.
    private static readonly Statement s_version = new("IF OBJECT_ID(N'optiks.Migration') IS NULL SELECT 0 ELSE SELECT COALESCE(MAX(Version), 0) FROM optiks.Migration");

    private static readonly Statement s_settings = new(
        """
        SELECT is_read_committed_snapshot_on, delayed_durability, SERVERPROPERTY(N'Babelfish') FROM sys.databases
        WHERE name COLLATE Latin1_General_BIN2 = DB_NAME() COLLATE Latin1_General_BIN2
        """);

    /// <summary>Migrations in order: number i + 1, name as <c>0001_create_tables</c>, and their batches.</summary>
    public static IReadOnlyList<(string Name, IReadOnlyList<Statement> Batches)> Migrations { get; } = Load();

    /// <summary>Grants are repeated after every migration.</summary>
    public static IReadOnlyList<Statement> Grants { get; } = Script("grants");

    /// <summary>Version that this build needs.</summary>
    public static int TargetVersion => Migrations.Count;

    /// <summary>ReadVersionAsync reads the version of a database; 0 when it has no schema of ours.</summary>
    public static async Task<int> ReadVersionAsync(Connection connection, CancellationToken cancellationToken) =>
        (int)(await connection.ScalarAsync(s_version, cancellationToken))!;

    /// <summary>CheckAsync checks what a service must not work without: the schema's version, and settings that keep what was committed. Says whether the server is Babelfish.</summary>
    public static async Task<bool> CheckAsync(Connection connection, string location, CancellationToken cancellationToken)
    {
        int version = await ReadVersionAsync(connection, cancellationToken);
        if (version != TargetVersion)
        {
            string user = version == 0 ? " If it was run already, this user is a member of none of optiks_update, optiks_task and optiks_query." : "";
            throw new StorageMisconfiguredException(version < TargetVersion
                ? $"The database {location} has schema version {version}, this program needs {TargetVersion}: run 'optiks-db migrate'.{user}"
                : $"The database {location} has schema version {version}, newer than this program's {TargetVersion}: run a newer version of this program.");
        }
        (bool Snapshot, int DelayedDurability, bool IsBabelfish)? settings = null;
        await foreach (SqlDataReader reader in connection.RowsAsync(s_settings, cancellationToken))
        {
            settings = (reader.GetBoolean(0), Number(reader.GetValue(1)), Number(reader.GetValue(2)) == 1);
        }
        if (settings is not { } read)
        {
            throw new StorageMisconfiguredException($"The database {location} does not show its settings to this user: sys.databases has no row of it.");
        }
        if (!read.Snapshot)
        {
            throw new StorageMisconfiguredException(
                $"The database {location} has READ_COMMITTED_SNAPSHOT off, so that readers and writers wait for each other: ALTER DATABASE ... SET READ_COMMITTED_SNAPSHOT ON (docs/operations/sqlserver.md).");
        }
        return read.DelayedDurability == ForcedDelayedDurability
            ? throw new StorageMisconfiguredException(
                $"The database {location} has DELAYED_DURABILITY = FORCED, which loses answered commits at a crash: ALTER DATABASE ... SET DELAYED_DURABILITY = DISABLED.")
            : read.IsBabelfish;
    }

    private static int Number(object value) => value is DBNull ? 0 : Convert.ToInt32(value, CultureInfo.InvariantCulture);

    private static List<(string Name, IReadOnlyList<Statement> Batches)> Load()
    {
        var migrations = new List<(string Name, IReadOnlyList<Statement> Batches)>();
        foreach (string name in typeof(SqlServerSchema).Assembly.GetManifestResourceNames().Where(name => char.IsAsciiDigit(name[0])).Order(StringComparer.Ordinal))
        {
            if (int.Parse(name.AsSpan(0, 4), NumberStyles.None, CultureInfo.InvariantCulture) != migrations.Count + 1)
            {
                throw new InvalidOperationException($"Migration {name} does not follow number {migrations.Count}.");
            }
            migrations.Add((name, Script(name)));
        }
        return migrations;
    }

    // A line GO ends a batch, as in every tool: the server itself does not know it.
    private static Statement[] Script(string name)
    {
        Assembly assembly = typeof(SqlServerSchema).Assembly;
        using Stream stream = assembly.GetManifestResourceStream(name)!;
        using var reader = new StreamReader(stream);
        // Constant all the same: it comes out of the assembly.
#pragma warning disable CA1857
        return [.. reader.ReadToEnd().Split("\nGO\n", StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries).Select(batch => new Statement(batch))];
#pragma warning restore CA1857
    }
}
