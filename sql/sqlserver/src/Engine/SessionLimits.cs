namespace Optiks.Storage.SqlServer.Engine;

/// <summary>Holds the time limits of a role's statements, and the text at the beginning of its commands.</summary>
/// <param name="CommandSeconds">The time in seconds after which the client gives up on a command, so that the server rolls it back; 0 means
/// no limit.</param>
/// <param name="Preamble">
/// The text that sets options at the beginning of every command. Every command needs it, because an option ends with the command that set
/// it, or when the connection returns to the pool. The text turns off the server's reports of row counts. These depend on NOCOUNT, which an
/// administrator may have set for the whole server, and they include rows that triggers changed, so statements select the row counts
/// instead. The text also ensures that a statement that fails or is cancelled ends its transaction.
/// </param>
/// <param name="FirstWork">
/// The statement that runs when a store opens. It touches no row, and fails if the user lacks the role's rights. It is null for an
/// operator's roles.
/// </param>
internal sealed record SessionLimits(int CommandSeconds, Statement Preamble, Statement? FirstWork = null)
{
    private static readonly Statement s_firstAccept = new(
        "INSERT INTO optiks.Request (Seq, RequestId, BodyHash) SELECT Seq, RequestId, BodyHash FROM optiks.Request WHERE 1 = 0");
    private static readonly Statement s_firstLease = new("UPDATE optiks.Head SET Fence = Fence WHERE 1 = 0");
    private static readonly Statement s_firstLeaves = new("SELECT Label FROM optiks.Leaf WHERE 1 = 0");

    // A server that hangs must not make the update-service's callers hang. So these limits together are shorter than the host's limit for
    // stopping.
    private static readonly Statement s_update = new("SET NOCOUNT ON; SET XACT_ABORT ON; SET LOCK_TIMEOUT 4000;\n");

    // The lock timeout is longer than the longest commit of a transaction that locks the head row.
    private static readonly Statement s_service = new("SET NOCOUNT ON; SET XACT_ABORT ON; SET LOCK_TIMEOUT 5000;\n");

    private static readonly Statement s_migrate = new("SET NOCOUNT ON; SET XACT_ABORT ON; SET LOCK_TIMEOUT -1;\n");

    /// <summary>Returns the limits of a role, whose name is one of those that <see cref="SqlServerSettings.Parse"/> accepts.</summary>
    public static SessionLimits Parse(string role) => role switch
    {
        "update" => new SessionLimits(6, s_update, s_firstAccept),
        "migrate" => new SessionLimits(0, s_migrate),
        "task" => new SessionLimits(30, s_service, s_firstLease),
        "query" => new SessionLimits(30, s_service, s_firstLeaves),
        _ => new SessionLimits(30, s_service),
    };
}
