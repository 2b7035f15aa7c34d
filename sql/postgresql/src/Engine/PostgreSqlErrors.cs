using Npgsql;

namespace Optiks.Storage.PostgreSql.Engine;

/// <summary>Translates the engine's errors into exceptions of the storage contract.</summary>
internal static class PostgreSqlErrors
{
    private const string IdleInTransactionSessionTimeout = "25P03";
    private const string DuplicatePreparedStatement = "42P05";
    private const string InvalidPreparedStatementName = "26000";

    /// <summary>
    /// Returns whether the error means that the session is lost, for example because a restart of the server closed a pooled connection, or
    /// because the next holder of the lease ended the session. A timeout does not mean that the session is lost, because the server may
    /// still be working.
    /// </summary>
    public static bool IsConnectionLost(NpgsqlException e) => e is PostgresException server
        ? server.SqlState is PostgresErrorCodes.AdminShutdown or PostgresErrorCodes.CrashShutdown or IdleInTransactionSessionTimeout
            || server.SqlState.StartsWith("08", StringComparison.Ordinal)
        : e.InnerException is not TimeoutException;

    /// <summary>Creates the exception for the case that a pooler between this program and the database gives each transaction another
    /// session.</summary>
    public static StorageMisconfiguredException PooledByTransaction(string location, string more = "", Exception? inner = null) => new(
        $"A pooler in front of the database {location} pools transactions, and would drop the settings that keep commits safe: let it pool sessions (PgBouncer: pool_mode = session).{more}", inner);

    /// <summary>
    /// Returns the exception of the storage contract for an error. Its message contains the server's message text, but not the server's
    /// detail text, because that can quote rows.
    /// </summary>
    public static StorageException Translate(NpgsqlException e, string location)
    {
        if (e is not PostgresException server)
        {
            return new StorageUnavailableException($"The database {location} cannot be reached, or did not answer in time: {e.Message}", e);
        }
        string text = $"{server.MessageText} (SQLSTATE {server.SqlState})";
        return server.SqlState switch
        {
            PostgresErrorCodes.InvalidCatalogName =>
                new StorageMisconfiguredException(
                    $"The database {location} does not exist: create it with 'createdb', then run 'optiks-db migrate'.", e),
            PostgresErrorCodes.InsufficientPrivilege =>
                new StorageMisconfiguredException(
                    $"The database {location} does not let this user do its work; grant it optiks_update, optiks_task or optiks_query: {text}", e),
            PostgresErrorCodes.UndefinedTable or PostgresErrorCodes.UndefinedColumn or PostgresErrorCodes.InvalidSchemaName =>
                new StorageMisconfiguredException(
                    $"The database {location} has another schema than this program needs: run 'optiks-db migrate'. {text}", e),
            // These errors mean that a pooler gave this transaction another connection's session, which has that connection's prepared
            // statements and lacks the settings that keep commits durable.
            DuplicatePreparedStatement or InvalidPreparedStatementName => PooledByTransaction(location, $" {text}", e),
            [_, _, ..] state when state.StartsWith("28", StringComparison.Ordinal) =>
                new StorageMisconfiguredException($"The database {location} refuses this user: {text}", e),
            [_, _, ..] state when state.StartsWith("23", StringComparison.Ordinal)
                || state is PostgresErrorCodes.DataCorrupted or PostgresErrorCodes.IndexCorrupted =>
                new StorageCorruptException(
                    $"The database {location} holds rows that contradict what was to be written or read: {text}", e),
            _ => new StorageUnavailableException($"The database {location} cannot do its work now: {text}", e),
        };
    }
}
