namespace Optiks.ServiceDefaults;

/// <summary>Lists the kinds of requests that are counted together for one caller (docs/operations/rate-limits.md).</summary>
public enum RateLimitKind
{
    /// <summary>Keys of lookups, histories and monitoring.</summary>
    Lookups,

    /// <summary>Updates of keys.</summary>
    Updates,

    /// <summary>Requests for the status of an update.</summary>
    Statuses,

    /// <summary>Epochs of records and audit proofs.</summary>
    Audits,
}
