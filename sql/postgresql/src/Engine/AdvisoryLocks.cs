namespace Optiks.Storage.PostgreSql.Engine;

/// <summary>The advisory locks of this schema. Each lock is two numbers, the first of which spells "OPTK" in ASCII.</summary>
internal static class AdvisoryLocks
{
    /// <summary>The lock that a migration holds.</summary>
    public const string Migrate = "1330664523, 1";

    /// <summary>
    /// The lock that every transaction that inserts requests holds, from before it draws a number until it ends. A transaction that judges
    /// ids and limits before it inserts holds the lock exclusively; a transaction that judges them after it inserted (<see cref="Judge"/>)
    /// holds the lock shared. <see cref="AcceptFrontier"/> reads the holders to find out which numbers may still appear.
    /// </summary>
    public const string Accept = "1330664523, 2";

    /// <summary>
    /// A condition that selects the rows of pg_locks for sessions of this database that hold <see cref="Accept"/>, exclusively or shared.
    /// </summary>
    public const string HoldsAccept =
        $"locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND (classid, objid, objsubid) = ({Accept}, 2) AND granted";

    /// <summary>
    /// The lock that a transaction with a shared <see cref="Accept"/> holds while it judges rows that it has inserted, until they are
    /// committed. So each transaction sees all rows that were judged before. While a transaction holds this lock, it does nothing that
    /// could wait for another transaction that accepts requests.
    /// </summary>
    public const string Judge = "1330664523, 3";
}
