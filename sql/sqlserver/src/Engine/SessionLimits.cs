namespace Optiks.Storage.SqlServer.Engine;

/// <summary>What a role's statements wait for at most, and how every command of it begins.</summary>
/// <param name="CommandSeconds">When the client gives a command up and the server rolls back; 0: never.</param>
/// <param name="Preamble">
/// Text before every statement. It is repeated because a setting ends with the command that made it, and with the connection's return to the pool. Row counts are selected, never taken from what the server
/// reports beside them: that depends on NOCOUNT, which an administrator may have set for the whole server, and counts the rows of triggers too. A statement that fails, or is called off, ends its transaction.
/// </param>
/// <param name="FirstWork">Statement of a role that touches no row and needs the role's rights; null for a role of operators.</param>
internal sealed record SessionLimits(int CommandSeconds, Statement Preamble, Statement? FirstWork = null)
{
    private static readonly Statement s_firstAccept = new("INSERT INTO optiks.Request (Seq, RequestId, BodyHash) SELECT Seq, RequestId, BodyHash FROM optiks.Request WHERE 1 = 0");
    private static readonly Statement s_firstLease = new("UPDATE optiks.Head SET Fence = Fence WHERE 1 = 0");
    private static readonly Statement s_firstLeaves = new("SELECT Label FROM optiks.Leaf WHERE 1 = 0");

    // A server that hangs must not hang the update-service's callers: all in all less than a host has to stop in.
    private static readonly Statement s_update = new("SET NOCOUNT ON; SET XACT_ABORT ON; SET LOCK_TIMEOUT 4000;\n");

    // Longer than the commit of whoever holds the head's row takes.
    private static readonly Statement s_service = new("SET NOCOUNT ON; SET XACT_ABORT ON; SET LOCK_TIMEOUT 5000;\n");

    private static readonly Statement s_migrate = new("SET NOCOUNT ON; SET XACT_ABORT ON; SET LOCK_TIMEOUT -1;\n");

    /// <summary>Of a role, as <see cref="SqlServerSettings.Parse"/> names it.</summary>
    public static SessionLimits Of(string role) => role switch
    {
        "update" => new SessionLimits(6, s_update, s_firstAccept),
        "migrate" => new SessionLimits(0, s_migrate),
        "task" => new SessionLimits(30, s_service, s_firstLease),
        "query" => new SessionLimits(30, s_service, s_firstLeaves),
        _ => new SessionLimits(30, s_service),
    };
}
