namespace Optiks.ServiceDefaults;

/// <summary>RateLimitKind is what is counted together for one caller (docs/operations/rate-limits.md).</summary>
public enum RateLimitKind
{
    /// <summary>Keys of lookups, histories and monitoring.</summary>
    Lookups,

    /// <summary>Updates of keys.</summary>
    Updates,

    /// <summary>Questions after the status of an update.</summary>
    Statuses,

    /// <summary>Epochs of records and audit proofs.</summary>
    Audits,
}
