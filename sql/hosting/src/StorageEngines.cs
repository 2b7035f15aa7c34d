using Optiks.Storage.PostgreSql;
using Optiks.Storage.Sqlite;
using Optiks.Storage.SqlServer;

namespace Optiks.Storage.Hosting;

/// <summary>Lists all storage engines. An engine that is added here can be used by every program.</summary>
public static class StorageEngines
{
    /// <summary>
    /// Returns all engines; the first one is the default. Embedded databases use the given clock (<paramref name="clock"/>), or the
    /// system's clock if it is null. While a service runs, the engines pass notices for its operator to the action <paramref name="warn"/>,
    /// from any thread; if it is null, they drop the notices.
    /// </summary>
    public static IReadOnlyList<IStorageProvider> All(TimeProvider? clock = null, Action<string>? warn = null) =>
        [new SqliteStorageProvider(clock), new PostgreSqlStorageProvider(), new SqlServerStorageProvider(warn)];
}
