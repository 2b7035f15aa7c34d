using System.Data.Common;
using System.Globalization;

namespace Optiks.Storage.Sqlite;

/// <summary>
/// Holds the settings of a connection string such as <c>Data Source=/path/optiks.db;Busy Timeout=5;Synchronous=FULL</c>. A string with the
/// name of any other setting is refused.
/// </summary>
internal sealed record SqliteSettings
{
    private SqliteSettings(string path) => Path = path;

    /// <summary>The absolute path of the database file.</summary>
    public string Path { get; }

    /// <summary>
    /// The database's clock. SQLite runs inside this process, so this is the machine's clock; tests may give another clock.
    /// </summary>
    public TimeProvider Clock { get; init; } = TimeProvider.System;

    /// <summary>The time for which a statement waits while another program holds the write lock.</summary>
    public TimeSpan BusyTimeout { get; private init; } = TimeSpan.FromSeconds(5);

    /// <summary>The setting of PRAGMA synchronous, either <c>FULL</c> or <c>EXTRA</c>. With a weaker setting, a power cut could undo
    /// commits that callers already know.</summary>
    public string Synchronous { get; private init; } = "FULL";

    /// <summary>
    /// Parses a connection string. An empty string means the database in the default data folder. Throws
    /// <see cref="StorageMisconfiguredException"/>.
    /// </summary>
    public static SqliteSettings Parse(string connectionString)
    {
        var builder = new DbConnectionStringBuilder();
        try
        {
            builder.ConnectionString = connectionString;
        }
        catch (ArgumentException)
        {
            throw new StorageMisconfiguredException(
                "The connection string is not 'name=value;name=value': for SQLite, 'Data Source=/path/optiks.db'.");
        }
        string path = Take(builder, "Data Source") ?? DataFolder.Default().Database;
        string? busyTimeout = Take(builder, "Busy Timeout");
        string synchronous = Take(builder, "Synchronous") ?? "FULL";
        // The message does not quote the names, because the string may be another engine's connection string, which contains a password.
        if (builder.Keys.Count > 0)
        {
            throw new StorageMisconfiguredException(
                "The connection string has an unknown name: SQLite takes Data Source, Busy Timeout and Synchronous.");
        }
        if (path.Length == 0 || path.StartsWith(':') || path.StartsWith("file:", StringComparison.OrdinalIgnoreCase))
        {
            throw new StorageMisconfiguredException(
                "The connection string's Data Source must be the path of a file: a database in memory loses every commit.");
        }
        if (!synchronous.Equals("FULL", StringComparison.OrdinalIgnoreCase)
            && !synchronous.Equals("EXTRA", StringComparison.OrdinalIgnoreCase))
        {
            throw new StorageMisconfiguredException(
                "The connection string's Synchronous would lose commits at a power cut: use FULL or EXTRA.");
        }
        var settings = new SqliteSettings(System.IO.Path.GetFullPath(path)) { Synchronous = synchronous.ToUpperInvariant() };
        if (busyTimeout is null)
        {
            return settings;
        }
        return double.TryParse(busyTimeout, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out double seconds)
            && seconds <= 3600
            ? settings with { BusyTimeout = TimeSpan.FromSeconds(seconds) }
            : throw new StorageMisconfiguredException("The connection string's Busy Timeout must be a number of seconds up to 3600.");
    }

    private static string? Take(DbConnectionStringBuilder builder, string name)
    {
        if (!builder.TryGetValue(name, out object? value))
        {
            return null;
        }
        builder.Remove(name);
        return (string)value;
    }
}
