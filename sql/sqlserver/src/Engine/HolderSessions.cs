using System.Globalization;
using Microsoft.Data.SqlClient;

namespace Optiks.Storage.SqlServer.Engine;

/// <summary>
/// Ends the sessions of a holder that lost the lease. SQL Server has no time limit for an idle transaction, so a process that is paused
/// inside a transaction would lock the head row until that process ends. Correctness does not depend on this class. If the database user
/// may not see or end other sessions (docs/operations/sqlserver.md), or the server does not support it, the next holder waits for the lock
/// instead. Thread-safe.
/// </summary>
internal sealed class HolderSessions
{
    private static readonly Statement s_expiredHolder = new(
        """
        SELECT Session FROM optiks.Head
        WHERE Holder NOT IN (N'', @holder) AND LeaseEnd <= SYSUTCDATETIME() AND Session NOT IN (N'', @session)
        """);

    // The statement names a collation, because the catalog's column with the session's name has the catalog's collation, which may differ
    // from the database's.
    private static readonly Statement s_ofName = new(
        """
        SELECT CAST(session_id AS int) FROM sys.dm_exec_sessions
        WHERE program_name COLLATE Latin1_General_BIN2 = @session COLLATE Latin1_General_BIN2 AND session_id <> @@SPID
        """);

    private static readonly Statement s_kill = new("DECLARE @kill nvarchar(30) = N'KILL ' + CAST(@id AS nvarchar(11)); EXEC (@kill);");

    private readonly Action<string> _warn;
    private int _warned;

    /// <summary>Creates an instance that calls the action <paramref name="warn"/> only the first time that it cannot end a
    /// session.</summary>
    public HolderSessions(Action<string> warn) => _warn = warn;

    /// <summary>
    /// Ends the sessions of the store that last held the lease, if that lease has expired. Does nothing if that store is this store, or
    /// belongs to the given <paramref name="holder"/>. Must not be called inside a transaction.
    /// </summary>
    public async Task EndOfExpiredHolderAsync(Connection connection, string holder, string session, CancellationToken cancellationToken)
    {
        if (await connection.FirstAsync(s_expiredHolder, rows => rows.GetText(0), cancellationToken, Parameter.Create("holder", holder),
            Parameter.Create("session", session)) is { } expired)
        {
            await EndAsync(connection, _ => true, expired, cancellationToken);
        }
    }

    /// <summary>Ends one session of the server, if it still belongs to the store whose sessions have the given name. Must not be called
    /// inside a transaction.</summary>
    public Task EndAsync(Connection connection, int id, string session, CancellationToken cancellationToken) =>
        EndAsync(connection, other => other == id, session, cancellationToken);

    private async Task EndAsync(Connection connection, Func<int, bool> isWanted, string session, CancellationToken cancellationToken)
    {
        try
        {
            IReadOnlyList<int> ids = await connection.ListAsync(
                s_ofName, rows => rows.GetInt32(0), cancellationToken, Parameter.Create("session", session));
            foreach (int id in ids.Where(isWanted))
            {
                await KillAsync(connection, id, cancellationToken);
            }
        }
        catch (SqlException e) when (!cancellationToken.IsCancellationRequested && !SqlServerErrors.IsConnectionLost(e))
        {
            if (Interlocked.Exchange(ref _warned, 1) == 0)
            {
                _warn(
                    "The sessions of the previous lease holder could not be ended: the task waits for a session whose host is frozen inside a transaction until an administrator ends it "
                    + $"(docs/operations/sqlserver.md, Takeover). {e.Message} (error {e.Number.ToString(CultureInfo.InvariantCulture)})");
            }
        }
    }

    private static async Task KillAsync(Connection connection, int id, CancellationToken cancellationToken)
    {
        try
        {
            await connection.ExecuteAsync(s_kill, cancellationToken, Parameters.Int("@id", id));
        }
        catch (SqlException e) when (SqlServerErrors.IsNoSuchSession(e))
        {
            // The session ended by itself before this statement could end it.
        }
    }
}
