using System.Globalization;
using Microsoft.Data.SqlClient;

namespace Optiks.Storage.SqlServer.Engine;

/// <summary>Says what the engine's errors mean to the contract.</summary>
internal static class SqlServerErrors
{
    private const int UniqueConstraint = 2627;
    private const int UniqueIndex = 2601;
    private const int NoSuchSession = 6106;
    private const int LockTimeout = 1222;
    // Errors from here on end the connection; the client reports a connection that broke with them too.
    private const byte FatalClass = 20;

    /// <summary>Says whether an exception comes out of Microsoft.Data.SqlClient: it reports a pool that is empty and a connection that is closed as misuse.</summary>
    public static bool IsOfClient(Exception e) => e is SqlException || (e is InvalidOperationException && e.Source == typeof(SqlException).Assembly.GetName().Name);

    /// <summary>Says whether the session is gone, as when a pooled connection was cut by a restart or ended by a successor. A time limit is not: the server may be working still.</summary>
    public static bool IsConnectionLost(Exception e) => e is SqlException { Class: >= FatalClass };

    /// <summary>Says whether a row with the same key was there.</summary>
    public static bool IsDuplicate(Exception? e) => e is SqlException { Number: UniqueConstraint or UniqueIndex };

    /// <summary>Says whether a session that was to be ended has ended by itself.</summary>
    public static bool IsNoSuchSession(SqlException e) => e.Number == NoSuchSession;

    /// <summary>
    /// Says whether the database cannot be opened: it does not exist, or not for this login, or it recovers or fails over just now. The refusal of the login comes with it.
    /// </summary>
    public static bool IsNoSuchDatabase(Exception? e) => e is SqlException server && server.Errors.Cast<SqlError>().Any(error => error.Number is 4060 or 911);

    /// <summary>
    /// Gives the contract's exception. The server's text about rows is left out: it quotes them. A database that <paramref name="wasOpen"/> is known to be there: when it cannot be opened later,
    /// it recovers or fails over.
    /// </summary>
    public static StorageException Translate(Exception e, string location, bool wasOpen)
    {
        if (e is not SqlException server)
        {
            return new StorageUnavailableException($"The database {location} gave no connection: {e.Message}", e);
        }
        string number = server.Number.ToString(CultureInfo.InvariantCulture);
        string text = $"{server.Message} (error {number})";
        return server.Number switch
        {
            _ when IsNoSuchDatabase(e) && wasOpen => new StorageUnavailableException($"The database {location} cannot be opened now, as while it recovers or fails over: {text}", e),
            _ when IsNoSuchDatabase(e) =>
                new StorageMisconfiguredException($"The database {location} does not exist, or not for this login: have it created (docs/operations/sqlserver.md), then run 'optiks-db migrate'. {text}", e),
            18452 or 18456 or 18470 or 18487 or 18488 => new StorageMisconfiguredException($"The server of {location} refuses this login: {text}", e),
            229 or 230 or 262 or 297 or 300 or 916 or 15247 =>
                new StorageMisconfiguredException($"The database {location} does not let this user do its work; make it a member of optiks_update, optiks_task or optiks_query: {text}", e),
            207 or 208 or 2715 or 2760 => new StorageMisconfiguredException($"The database {location} has another schema than this program needs: run 'optiks-db migrate'. {text}", e),
            3952 => new StorageMisconfiguredException($"The database {location} does not allow snapshots: ALTER DATABASE ... SET ALLOW_SNAPSHOT_ISOLATION ON (docs/operations/sqlserver.md). {text}", e),
            UniqueConstraint or UniqueIndex or 515 or 547 or 2628 or 8152 or 823 or 824 or 825 or 605 =>
                new StorageCorruptException($"The database {location} holds rows that contradict what was to be written or read (error {number}).", e),
            LockTimeout => new StorageUnavailableException(
                $"The database {location} let this wait too long for a lock of another session. Where that session's host is frozen, end it (docs/operations/sqlserver.md, Takeover): {text}", e),
            _ => new StorageUnavailableException($"The database {location} cannot do its work now, or did not answer in time: {text}", e),
        };
    }
}
