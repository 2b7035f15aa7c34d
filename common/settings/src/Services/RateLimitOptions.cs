using Microsoft.Extensions.Options;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Limits the requests of each caller (<c>Optiks:RateLimits</c>). By default there are no limits, because behind a proxy that
/// <see cref="Proxies"/> does not name, all callers look like a single caller.
/// </summary>
internal sealed class RateLimitOptions
{
    public const string Section = "Optiks:RateLimits";

    /// <summary>The limit on lookups, histories and monitoring, counted in keys.</summary>
    [ValidateObjectMembers]
    public RateLimit Lookups { get; set; } = new();

    /// <summary>The limit on updates, counted in items.</summary>
    [ValidateObjectMembers]
    public RateLimit Updates { get; set; } = new();

    /// <summary>The limit on requests for the status of updates, counted in requests.</summary>
    [ValidateObjectMembers]
    public RateLimit Statuses { get; set; } = new();

    /// <summary>The limit on records and audit proofs, counted in epochs.</summary>
    [ValidateObjectMembers]
    public RateLimit Audits { get; set; } = new();

    /// <summary>
    /// The proxies from which the service accepts the caller's address in the header <c>X-Forwarded-For</c>. Each element is a network such
    /// as <c>10.0.0.0/8</c> or <c>::1/128</c>. The service ignores the header from all other senders.
    /// </summary>
    /// <value>The default is an empty list.</value>
    public string[] Proxies { get; set; } = [];
}
