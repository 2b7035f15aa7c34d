using System.Globalization;
using System.Reflection;
using Npgsql;
using Optiks.Storage.PostgreSql.Engine;

namespace Optiks.Storage.PostgreSql;

/// <summary>PostgreSqlSchema knows the migrations of this build and what a database has of them.</summary>
internal static class PostgreSqlSchema
{
    /// <summary>Migrations in order: number i + 1, name as <c>0001_create_tables</c>, and the SQL.</summary>
    public static IReadOnlyList<(string Name, string Sql)> Migrations { get; } = Load();

    /// <summary>Grants are repeated after every migration.</summary>
    public static string Grants { get; } = Resource("grants");

    /// <summary>Version that this build needs.</summary>
    public static int TargetVersion => Migrations.Count;

    /// <summary>ReadVersionAsync reads the version of a database; 0 when it has no schema of ours.</summary>
    public static async Task<int> ReadVersionAsync(NpgsqlConnection connection, CancellationToken cancellationToken)
    {
        await using NpgsqlCommand exists = connection.Command("SELECT to_regclass('optiks.migration') IS NOT NULL");
        if (!(bool)(await exists.ExecuteScalarAsync(cancellationToken))!)
        {
            return 0;
        }
        await using NpgsqlCommand version = connection.Command("SELECT coalesce(max(version), 0) FROM optiks.migration");
        return (int)(await version.ExecuteScalarAsync(cancellationToken))!;
    }

    /// <summary>ThrowIfUnusableAsync checks what a service must not work without: the schema's version.</summary>
    public static async Task ThrowIfUnusableAsync(NpgsqlConnection connection, string location, CancellationToken cancellationToken)
    {
        int version = await ReadVersionAsync(connection, cancellationToken);
        if (version != TargetVersion)
        {
            throw new StorageMisconfiguredException(version < TargetVersion
                ? $"The database {location} has schema version {version}, this program needs {TargetVersion}: run 'optiks-db migrate'."
                : $"The database {location} has schema version {version}, newer than this program's {TargetVersion}: run a newer version of this program.");
        }
    }

    /// <summary>
    /// ThrowIfLosesCommitsAsync checks a new session for settings that lose what was committed, or that the driver gave and a proxy in between dropped. On a connection that is not a
    /// transaction yet.
    /// </summary>
    public static async Task ThrowIfLosesCommitsAsync(NpgsqlConnection connection, string location)
    {
        await using NpgsqlCommand settings = connection.Command("SELECT current_setting('synchronous_commit'), current_setting('fsync'), current_setting('default_transaction_isolation')");
        await using NpgsqlDataReader reader = await settings.ExecuteReaderAsync();
        _ = await reader.ReadAsync();
        if (reader.GetString(1) != "on")
        {
            throw new StorageMisconfiguredException($"The database {location} has fsync = off, which loses answered commits at a power cut: set it to on.");
        }
        string synchronousCommit = reader.GetString(0);
        string isolation = reader.GetString(2);
        if (synchronousCommit != "on" || isolation != "read committed")
        {
            throw new StorageMisconfiguredException(
                $"A session of the database {location} has synchronous_commit = {synchronousCommit} and default_transaction_isolation = {isolation}, although it was opened with others: "
                + "a proxy in between must pass on the startup parameter 'options'.");
        }
    }

    private static List<(string Name, string Sql)> Load()
    {
        var migrations = new List<(string Name, string Sql)>();
        foreach (string name in typeof(PostgreSqlSchema).Assembly.GetManifestResourceNames().Where(name => char.IsAsciiDigit(name[0])).Order(StringComparer.Ordinal))
        {
            if (int.Parse(name.AsSpan(0, 4), NumberStyles.None, CultureInfo.InvariantCulture) != migrations.Count + 1)
            {
                throw new InvalidOperationException($"Migration {name} does not follow number {migrations.Count}.");
            }
            migrations.Add((name, Resource(name)));
        }
        return migrations;
    }

    private static string Resource(string name)
    {
        Assembly assembly = typeof(PostgreSqlSchema).Assembly;
        using Stream stream = assembly.GetManifestResourceStream(name)!;
        using var reader = new StreamReader(stream);
        return reader.ReadToEnd();
    }
}
