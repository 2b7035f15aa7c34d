namespace Optiks.Storage.PostgreSql.Engine;

/// <summary>Names the advisory locks that this driver uses. The name of a lock is two numbers; the bytes of the first one spell "OPTK" in
/// ASCII.</summary>
internal static class AdvisoryLocks
{
    /// <summary>The lock that a migrator holds while it applies a migration.</summary>
    public const string Migrate = "1330664523, 1";

    /// <summary>
    /// The lock of transactions that insert requests. Each of them takes the lock before it draws a sequence number, and holds it until it
    /// ends. A transaction that checks ids and limits before it inserts holds the lock exclusively. A transaction that checks them after it
    /// has inserted (<see cref="Judge"/>) shares the lock. <see cref="AcceptFrontier"/> reads the holders of the lock to find out which
    /// numbers may still appear.
    /// </summary>
    public const string Accept = "1330664523, 2";

    /// <summary>
    /// An SQL condition that selects the rows of pg_locks for sessions of this database that hold <see cref="Accept"/>, either exclusively
    /// or shared.
    /// </summary>
    public const string HoldsAccept =
        $"locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND (classid, objid, objsubid) = ({Accept}, 2) AND granted";

    /// <summary>
    /// The lock of transactions that share <see cref="Accept"/>. Each of them takes this lock after it has inserted its rows, checks the
    /// rows, and holds the lock until its commit. So each check sees all rows that were checked before. A transaction that holds this lock
    /// does nothing for which it could have to wait for another transaction that accepts requests.
    /// </summary>
    public const string Judge = "1330664523, 3";
}
