using System.Globalization;
using Microsoft.Data.SqlClient;

namespace Optiks.Storage.SqlServer.Engine;

/// <summary>
/// Sessions ends those of a holder that lost the lease: SQL Server has no time limit for a transaction that idles, so a process that is paused inside one would hold the head's row until it is gone.
/// A login that may not see or end other sessions (docs/operations/sqlserver.md) finds none here, and waits for the lock instead.
/// </summary>
internal static class Sessions
{
    private const string MayEnd = "(HAS_PERMS_BY_NAME(NULL, NULL, N'ALTER ANY CONNECTION') = 1 OR IS_SRVROLEMEMBER(N'sysadmin') = 1)";

    private static readonly Statement s_ofExpiredHolder = new(
        $"""
        SELECT s.session_id FROM optiks.Head AS h JOIN sys.dm_exec_sessions AS s ON s.program_name = h.Session
        WHERE h.Holder NOT IN (N'', @holder) AND h.LeaseEnd <= SYSUTCDATETIME() AND h.Session NOT IN (N'', @session)
        AND s.session_id <> @@SPID AND {MayEnd}
        """);

    private static readonly Statement s_ofName = new(
        $"SELECT session_id FROM sys.dm_exec_sessions WHERE session_id = @id AND program_name = @session AND session_id <> @@SPID AND {MayEnd}");

    private static readonly Statement s_kill = new("DECLARE @kill nvarchar(30) = N'KILL ' + CAST(@id AS nvarchar(11)); EXEC (@kill);");

    /// <summary>EndOfExpiredHolderAsync ends the sessions of the store that holds a lease which has ended, unless that is <paramref name="holder"/>'s or our own. Not inside a transaction.</summary>
    public static Task EndOfExpiredHolderAsync(Connection connection, string holder, string session, CancellationToken cancellationToken) => EndAsync(
        connection, s_ofExpiredHolder, cancellationToken, Parameters.Text("@holder", holder), Parameters.Text("@session", session));

    /// <summary>EndAsync ends one session, if it is still the store's of this name. Not inside a transaction.</summary>
    public static Task EndAsync(Connection connection, int id, string session, CancellationToken cancellationToken) => EndAsync(
        connection, s_ofName, cancellationToken, Parameters.Int("@id", id), Parameters.Text("@session", session));

    private static async Task EndAsync(Connection connection, Statement which, CancellationToken cancellationToken, params SqlParameter[] parameters)
    {
        var ids = new List<int>();
        await foreach (SqlDataReader reader in connection.RowsAsync(which, cancellationToken, parameters))
        {
            // smallint on SQL Server, int elsewhere.
            ids.Add(Convert.ToInt32(reader.GetValue(0), CultureInfo.InvariantCulture));
        }
        foreach (int id in ids)
        {
            try
            {
                _ = await connection.ExecuteAsync(s_kill, cancellationToken, Parameters.Int("@id", id));
            }
            catch (SqlException e) when (SqlServerErrors.IsNoSuchSession(e))
            {
                // It ended by itself.
            }
        }
    }
}
