// Generated from docs/spec/facts.toml by `make facts`: do not edit.
namespace Optiks.Protocol;

/// <summary>The media types of bodies and answers (docs/spec/rest.md).</summary>
public static class MediaTypes
{
    public const string Json = "application/json";

    /// <summary>QueryList: the body of a lookup, history or monitor request.</summary>
    public const string Query = "application/vnd.optiks.query";

    /// <summary>LookupAnswer.</summary>
    public const string Lookup = "application/vnd.optiks.lookup";

    /// <summary>HistoryAnswer.</summary>
    public const string History = "application/vnd.optiks.history";

    /// <summary>MonitorAnswer.</summary>
    public const string Monitor = "application/vnd.optiks.monitor";

    /// <summary>UserQueryList: the body of a request that looks up users.</summary>
    public const string UserQuery = "application/vnd.optiks.user-query";

    /// <summary>UserLookupAnswer.</summary>
    public const string UserLookup = "application/vnd.optiks.user-lookup";

    /// <summary>UserMonitorQuery: the body of a request that monitors a user.</summary>
    public const string UserMonitorQuery = "application/vnd.optiks.user-monitor-query";

    /// <summary>UserMonitorAnswer.</summary>
    public const string UserMonitor = "application/vnd.optiks.user-monitor";

    /// <summary>PeriodsAnswer.</summary>
    public const string Periods = "application/vnd.optiks.periods";

    /// <summary>Head.</summary>
    public const string Head = "application/vnd.optiks.head";

    /// <summary>EpochRecord.</summary>
    public const string Record = "application/vnd.optiks.record";

    /// <summary>AuditProof.</summary>
    public const string AuditProof = "application/vnd.optiks.audit-proof";

    /// <summary>A replica's snapshot (docs/operations/snapshots.md section 6).</summary>
    public const string Snapshot = "application/vnd.optiks.snapshot";
}
