namespace Optiks.Storage.PostgreSql.Engine;

/// <summary>The advisory locks of this schema: two numbers each, the first of which spells "OPTK".</summary>
internal static class AdvisoryLocks
{
    /// <summary>The lock that a migration holds.</summary>
    public const string Migrate = "1330664523, 1";

    /// <summary>
    /// The lock that every transaction that inserts requests holds, from before it draws a number until it ends. A transaction that judges
    /// ids and limits before it inserts holds it exclusively; one that judges them afterwards (<see cref="Judge"/>) holds it shared. The
    /// holders tell <see cref="AcceptFrontier"/> which numbers may still appear.
    /// </summary>
    public const string Accept = "1330664523, 2";

    /// <summary>
    /// The condition on rows of pg_locks that a session of this database holds <see cref="Accept"/>, exclusively or shared.
    /// </summary>
    public const string HoldsAccept =
        $"locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND (classid, objid, objsubid) = ({Accept}, 2) AND granted";

    /// <summary>
    /// The lock that a transaction with a shared <see cref="Accept"/> holds while it judges rows that it has inserted, until they are
    /// committed. So each transaction sees everything that was judged before. Nothing that could wait for another acceptance happens under
    /// it.
    /// </summary>
    public const string Judge = "1330664523, 3";
}
