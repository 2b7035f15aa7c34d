using Optiks.Storage.PostgreSql;
using Optiks.Storage.Sqlite;
using Optiks.Storage.SqlServer;

namespace Optiks.Storage.Engines;

/// <summary>The one list of engines: a new one is added here, and every program can use it.</summary>
public static class StorageEngines
{
    /// <summary>
    /// All engines, the default first. <paramref name="clock"/> is the clock of an embedded database; null: the system's. <paramref name="warn"/> is told, from any thread, what the operator of a running
    /// service should know; null: nobody.
    /// </summary>
    public static IReadOnlyList<IStorageProvider> All(TimeProvider? clock = null, Action<string>? warn = null) =>
        [new SqliteStorageProvider(clock), new PostgreSqlStorageProvider(), new SqlServerStorageProvider(warn)];
}
