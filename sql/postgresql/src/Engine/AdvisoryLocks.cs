namespace Optiks.Storage.PostgreSql.Engine;

/// <summary>AdvisoryLocks of this schema's own: two numbers each, the first spells "OPTK".</summary>
internal static class AdvisoryLocks
{
    /// <summary>Migrate is held by a migration.</summary>
    public const string Migrate = "1330664523, 1";

    /// <summary>
    /// Accept is held by whoever inserts requests. One at a time: limits and ids are judged by what is there, and numbers are committed in their order. Group
    /// commit makes up for it: what waits comes together in the next transaction.
    /// </summary>
    public const string Accept = "1330664523, 2";
}
