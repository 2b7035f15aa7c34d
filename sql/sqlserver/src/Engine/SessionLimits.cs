namespace Optiks.Storage.SqlServer.Engine;

/// <summary>The time limits of a role's statements, and the text at the beginning of its commands.</summary>
/// <param name="CommandSeconds">The time after which the client gives up on a command and the server rolls back; 0 for no limit.</param>
/// <param name="Preamble">
/// The text before every statement. It is repeated because a setting ends with the command that made it, and with the connection's return
/// to the pool. It turns off the server's reports of row counts, because these depend on NOCOUNT, which an administrator may have set for
/// the whole server, and include rows changed by triggers. Statements select row counts instead. With this text, a statement that fails or
/// is cancelled ends its transaction.
/// </param>
/// <param name="FirstWork">
/// The role's first statement, which touches no row and needs the role's rights; null for an operator's role.
/// </param>
internal sealed record SessionLimits(int CommandSeconds, Statement Preamble, Statement? FirstWork = null)
{
    private static readonly Statement s_firstAccept = new("INSERT INTO optiks.Request (Seq, RequestId, BodyHash) SELECT Seq, RequestId, BodyHash FROM optiks.Request WHERE 1 = 0");
    private static readonly Statement s_firstLease = new("UPDATE optiks.Head SET Fence = Fence WHERE 1 = 0");
    private static readonly Statement s_firstLeaves = new("SELECT Label FROM optiks.Leaf WHERE 1 = 0");

    // A server that hangs must not make the update-service's callers hang, so the limits together are shorter than the time that a host has
    // to stop.
    private static readonly Statement s_update = new("SET NOCOUNT ON; SET XACT_ABORT ON; SET LOCK_TIMEOUT 4000;\n");

    // This limit is longer than the commit of the transaction that holds the head row.
    private static readonly Statement s_service = new("SET NOCOUNT ON; SET XACT_ABORT ON; SET LOCK_TIMEOUT 5000;\n");

    private static readonly Statement s_migrate = new("SET NOCOUNT ON; SET XACT_ABORT ON; SET LOCK_TIMEOUT -1;\n");

    /// <summary>Returns the limits of a role, as <see cref="SqlServerSettings.Parse"/> names it.</summary>
    public static SessionLimits Parse(string role) => role switch
    {
        "update" => new SessionLimits(6, s_update, s_firstAccept),
        "migrate" => new SessionLimits(0, s_migrate),
        "task" => new SessionLimits(30, s_service, s_firstLease),
        "query" => new SessionLimits(30, s_service, s_firstLeaves),
        _ => new SessionLimits(30, s_service),
    };
}
