using Optiks.Storage.SqlServer.Engine;

namespace Optiks.Storage.SqlServer;

/// <summary>Holds the schema of this build and checks databases against it.</summary>
internal static class SqlServerSchema
{
    private const int ForcedDelayedDurability = 2;

    // If the user may not see the table of migrations, this statement returns 0, as if the table did not exist.
    private static readonly Statement s_version = new(
        "IF OBJECT_ID(N'optiks.Migration') IS NULL SELECT 0 ELSE SELECT COALESCE(MAX(Version), 0) FROM optiks.Migration");

    private static readonly Statement s_settings = new(
        """
        SELECT CAST(is_read_committed_snapshot_on AS int), CAST(COALESCE(delayed_durability, 0) AS int), CASE WHEN SERVERPROPERTY(N'Babelfish') IS NULL THEN 0 ELSE 1 END FROM sys.databases
        WHERE name COLLATE Latin1_General_BIN2 = DB_NAME() COLLATE Latin1_General_BIN2
        """);

    /// <summary>The schema of this build.</summary>
    public static Schema Schema { get; } = new(typeof(SqlServerSchema).Assembly);

    /// <summary>
    /// Splits a script into batches. As in Microsoft's tools, a line GO ends a batch; the server itself does not know GO.
    /// </summary>
    public static Statement[] Batches(string script) =>
        // The texts are as safe as constants, because the scripts are embedded in the assembly.
#pragma warning disable CA1857
        [.. script.Split("\nGO\n", StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries)
            .Select(batch => new Statement(batch))];
#pragma warning restore CA1857

    /// <summary>Reads the version of a database; returns 0 when the database does not have this project's schema.</summary>
    public static Task<int> ReadVersionAsync(ISession session, CancellationToken cancellationToken) =>
        session.FirstAsync(s_version, rows => rows.GetInt32(0), cancellationToken);

    /// <summary>
    /// Throws unless the schema has this build's version and the settings keep every commit durable. Returns whether the server is
    /// Babelfish.
    /// </summary>
    public static async Task<bool> CheckAsync(Connection connection, string location, CancellationToken cancellationToken)
    {
        int version = await ReadVersionAsync(connection, cancellationToken);
        Schema.ThrowIfOther(version, location,
            version == 0 ? " If it has run already, this user is not a member of optiks_update, optiks_task or optiks_query." : "");
        (bool Snapshot, int DelayedDurability, bool IsBabelfish) read =
            await connection.FirstAsync<(bool, int, bool)?>(
                s_settings, rows => (rows.GetBoolean(0), rows.GetInt32(1), rows.GetBoolean(2)), cancellationToken)
            ?? throw new StorageMisconfiguredException(
                $"The database {location} does not show its settings to this user: sys.databases has no row for it.");
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
}
