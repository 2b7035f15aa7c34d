using System.Data.Common;
using System.Globalization;

namespace Optiks.Storage.Sqlite;

/// <summary>
/// The settings in a connection string: <c>Data Source=/path/optiks.db;Busy Timeout=5;Synchronous=FULL</c>. Other names are refused.
/// </summary>
internal sealed record SqliteSettings
{
    private SqliteSettings(string path) => Path = path;

    /// <summary>The absolute path of the file.</summary>
    public string Path { get; }

    /// <summary>
    /// The database's clock: SQLite runs inside this process, so the clock is the machine's clock, or another clock in tests.
    /// </summary>
    public TimeProvider Clock { get; init; } = TimeProvider.System;

    /// <summary>How long a statement waits for another program's write lock.</summary>
    public TimeSpan BusyTimeout { get; private init; } = TimeSpan.FromSeconds(5);

    /// <summary><c>FULL</c> or <c>EXTRA</c>: with a weaker setting, a power cut undoes commits that were answered.</summary>
    public string Synchronous { get; private init; } = "FULL";

    /// <summary>
    /// Reads a connection string; an empty string means the data folder's database. Throws <see cref="StorageMisconfiguredException"/>.
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
            throw new StorageMisconfiguredException("The connection string is not 'name=value;name=value': for SQLite, 'Data Source=/path/optiks.db'.");
        }
        string path = Take(builder, "Data Source") ?? DataFolder.Default().Database;
        string? busyTimeout = Take(builder, "Busy Timeout");
        string synchronous = Take(builder, "Synchronous") ?? "FULL";
        // The message does not quote the names, because the string may be another engine's connection string, which contains a password.
        if (builder.Keys.Count > 0)
        {
            throw new StorageMisconfiguredException("The connection string has an unknown name: SQLite takes Data Source, Busy Timeout and Synchronous.");
        }
        if (path.Length == 0 || path.StartsWith(':') || path.StartsWith("file:", StringComparison.OrdinalIgnoreCase))
        {
            throw new StorageMisconfiguredException("The connection string's Data Source must be the path of a file: a database in memory loses every commit.");
        }
        if (!synchronous.Equals("FULL", StringComparison.OrdinalIgnoreCase) && !synchronous.Equals("EXTRA", StringComparison.OrdinalIgnoreCase))
        {
            throw new StorageMisconfiguredException("The connection string's Synchronous would lose commits at a power cut: use FULL or EXTRA.");
        }
        var settings = new SqliteSettings(System.IO.Path.GetFullPath(path)) { Synchronous = synchronous.ToUpperInvariant() };
        if (busyTimeout is null)
        {
            return settings;
        }
        return double.TryParse(busyTimeout, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out double seconds) && seconds <= 3600
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
