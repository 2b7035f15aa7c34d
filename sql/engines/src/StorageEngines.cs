using Optiks.Storage.PostgreSql;
using Optiks.Storage.Sqlite;
using Optiks.Storage.SqlServer;

namespace Optiks.Storage.Engines;

/// <summary>Lists all engines: a new engine is added here, and every program can then use it.</summary>
public static class StorageEngines
{
    /// <summary>
    /// Returns all engines, the default first. <paramref name="clock"/> is the clock of an embedded database; null means the system's
    /// clock. <paramref name="warn"/> receives, from any thread, notices for the operator of a running service; null means that notices are
    /// dropped.
    /// </summary>
    public static IReadOnlyList<IStorageProvider> All(TimeProvider? clock = null, Action<string>? warn = null) =>
        [new SqliteStorageProvider(clock), new PostgreSqlStorageProvider(), new SqlServerStorageProvider(warn)];
}
