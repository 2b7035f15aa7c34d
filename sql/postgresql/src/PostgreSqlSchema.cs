using Npgsql;
using Optiks.Storage.PostgreSql.Engine;

namespace Optiks.Storage.PostgreSql;

/// <summary>Holds the schema of this build and checks databases against it.</summary>
internal static class PostgreSqlSchema
{
    private static readonly Sql s_exists = new("SELECT to_regclass('optiks.migration') IS NOT NULL");

    private static readonly Sql s_version = new("SELECT coalesce(max(version), 0) FROM optiks.migration");

    /// <summary>The schema of this build.</summary>
    public static Schema Schema { get; } = new(typeof(PostgreSqlSchema).Assembly);

    /// <summary>Reads the version of a database; returns 0 when the database does not have this project's schema.</summary>
    public static async Task<int> ReadVersionAsync(ISession session, CancellationToken cancellationToken) =>
        await session.FirstAsync(s_exists, rows => rows.GetBoolean(0), cancellationToken)
            ? await session.FirstAsync(s_version, rows => rows.GetInt32(0), cancellationToken)
            : 0;

    /// <summary>
    /// Checks a new session before it enters a pool, on a connection that has no transaction yet. Throws if a setting could lose commits,
    /// or if a proxy dropped a setting that the driver made. For a session that writes (<paramref name="writes"/>), also throws if the
    /// server accepts no writes.
    /// </summary>
    public static async Task ThrowIfLosesCommitsAsync(NpgsqlConnection connection, string location, bool writes)
    {
        await using NpgsqlCommand settings = connection.Command(
            "SELECT current_setting('synchronous_commit'), current_setting('fsync'), current_setting('default_transaction_isolation'), current_setting('client_min_messages'), pg_is_in_recovery()");
        await using NpgsqlDataReader reader = await settings.ExecuteReaderAsync();
        _ = await reader.ReadAsync();
        if (reader.GetString(1) != "on")
        {
            throw new StorageMisconfiguredException(
                $"The database {location} has fsync = off, which loses answered commits at a power cut: set it to on.");
        }
        string synchronousCommit = reader.GetString(0);
        string isolation = reader.GetString(2);
        string messages = reader.GetString(3);
        if (writes && reader.GetBoolean(4))
        {
            throw new StorageUnavailableException($"The database {location} is a standby, which accepts no writes.");
        }
        if (synchronousCommit != "on" || isolation != "read committed" || messages != "warning")
        {
            throw new StorageMisconfiguredException(
                $"A session of the database {location} has synchronous_commit = {synchronousCommit}, default_transaction_isolation = {isolation} and client_min_messages = {messages}, although it was set to others: "
                + "a proxy in between must pool sessions, not transactions.");
        }
    }
}
