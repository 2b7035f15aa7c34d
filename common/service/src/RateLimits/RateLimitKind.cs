namespace Optiks.ServiceDefaults;

/// <summary>Lists the kinds of requests. Each kind has its own rate limit for each caller (docs/operations/rate-limits.md).</summary>
public enum RateLimitKind
{
    /// <summary>Lookups, histories and monitoring, counted in keys.</summary>
    Lookups,

    /// <summary>Updates, counted in updated keys.</summary>
    Updates,

    /// <summary>Requests for the status of updates.</summary>
    Statuses,

    /// <summary>Requests for records and audit proofs, counted in epochs.</summary>
    Audits,
}
