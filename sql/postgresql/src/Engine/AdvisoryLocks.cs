namespace Optiks.Storage.PostgreSql.Engine;

/// <summary>AdvisoryLocks of this schema's own: two numbers each, the first spells "OPTK".</summary>
internal static class AdvisoryLocks
{
    /// <summary>Migrate is held by a migration.</summary>
    public const string Migrate = "1330664523, 1";

    /// <summary>
    /// Accept is held, from before it draws a number until its end, by every transaction that inserts requests: alone if it judges ids and limits before it inserts, shared if it judges
    /// them afterwards (<see cref="Judge"/>). Who holds it tells <see cref="AcceptFrontier"/> which numbers may still come.
    /// </summary>
    public const string Accept = "1330664523, 2";

    /// <summary>The condition on rows of pg_locks that a session of this database holds <see cref="Accept"/>, alone or shared.</summary>
    public const string HoldsAccept =
        $"locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND (classid, objid, objsubid) = ({Accept}, 2) AND granted";

    /// <summary>
    /// Judge is held, after a shared <see cref="Accept"/>, from the judgement of rows that are already inserted until they are committed: each sees all that was judged before. Nothing that
    /// could wait for another acceptance is done under it.
    /// </summary>
    public const string Judge = "1330664523, 3";
}
