using System.Globalization;
using Microsoft.Data.SqlClient;

namespace Optiks.Storage.SqlServer.Engine;

/// <summary>Translates the engine's errors into exceptions of the storage contract.</summary>
internal static class SqlServerErrors
{
    private const int UniqueConstraint = 2627;
    private const int UniqueIndex = 2601;
    private const int NoSuchSession = 6106;
    private const int LockTimeout = 1222;
    // The lowest class of errors that end the connection. The client also reports a broken connection as an error of this class or above.
    private const byte FatalClass = 20;

    /// <summary>
    /// Returns whether an exception comes from Microsoft.Data.SqlClient. That client throws an InvalidOperationException when its pool has
    /// no free connection or a connection is closed.
    /// </summary>
    public static bool IsClientError(Exception e) =>
        e is SqlException || (e is InvalidOperationException && e.Source == typeof(SqlException).Assembly.GetName().Name);

    /// <summary>
    /// Returns whether the error means that the session is lost, for example because a restart of the server closed a pooled connection, or
    /// because the next holder of the lease ended the session. A timeout does not mean that the session is lost, because the server may
    /// still be working.
    /// </summary>
    public static bool IsConnectionLost(Exception e) => e is SqlException { Class: >= FatalClass };

    /// <summary>Returns whether the error means that a row with the same primary key already existed.</summary>
    public static bool IsDuplicate(Exception? e) => e is SqlException { Number: UniqueConstraint or UniqueIndex };

    /// <summary>Returns whether the error means that the session that a statement should end had already ended.</summary>
    public static bool IsNoSuchSession(SqlException e) => e.Number == NoSuchSession;

    /// <summary>
    /// Returns whether the error means that the database cannot be opened because it does not exist, this login may not use it, or it is
    /// recovering or failing over. In all of these cases the server also reports that the login failed.
    /// </summary>
    public static bool IsNoSuchDatabase(Exception? e) =>
        e is SqlException server && server.Errors.Cast<SqlError>().Any(error => error.Number is 4060 or 911);

    /// <summary>
    /// Returns the exception of the storage contract for an error. For errors about rows, the message omits the server's text, because that
    /// text quotes rows. If the database was open before (<paramref name="wasOpen"/>), it exists, so an error in opening it means that it
    /// is recovering or failing over.
    /// </summary>
    public static StorageException Translate(Exception e, string location, bool wasOpen)
    {
        if (e is not SqlException server)
        {
            return new StorageUnavailableException($"The database {location} did not accept a connection: {e.Message}", e);
        }
        string number = server.Number.ToString(CultureInfo.InvariantCulture);
        string text = $"{server.Message} (error {number})";
        return server.Number switch
        {
            _ when IsNoSuchDatabase(e) && wasOpen =>
                new StorageUnavailableException(
                    $"The database {location} cannot be opened now; it may be recovering or failing over: {text}", e),
            _ when IsNoSuchDatabase(e) =>
                new StorageMisconfiguredException(
                    $"The database {location} does not exist, or this login cannot open it: have it created (docs/operations/sqlserver.md), then run 'optiks-db migrate'. {text}", e),
            18452 or 18456 or 18470 or 18487 or 18488 =>
                new StorageMisconfiguredException($"The server of {location} refuses this login: {text}", e),
            229 or 230 or 262 or 297 or 300 or 916 or 15247 =>
                new StorageMisconfiguredException(
                    $"The database {location} does not let this user do its work; make it a member of optiks_update, optiks_task or optiks_query: {text}", e),
            207 or 208 or 2715 or 2760 =>
                new StorageMisconfiguredException(
                    $"The database {location} has another schema than this program needs: run 'optiks-db migrate'. {text}", e),
            3952 =>
                new StorageMisconfiguredException(
                    $"The database {location} does not allow snapshots: ALTER DATABASE ... SET ALLOW_SNAPSHOT_ISOLATION ON (docs/operations/sqlserver.md). {text}", e),
            UniqueConstraint or UniqueIndex or 515 or 547 or 2628 or 8152 or 823 or 824 or 825 or 605 =>
                new StorageCorruptException(
                    $"The database {location} holds rows that contradict what was to be written or read (error {number}).", e),
            LockTimeout => new StorageUnavailableException(
                $"The database {location} made this session wait too long for another session's lock. If that session's host is frozen, end the session (docs/operations/sqlserver.md, Takeover): {text}", e),
            _ => new StorageUnavailableException($"The database {location} cannot do its work now, or did not answer in time: {text}", e),
        };
    }
}
