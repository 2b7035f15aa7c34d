using Microsoft.Extensions.Options;

namespace Optiks.ServiceDefaults;

/// <summary>
/// RateLimitOptions (<c>Optiks:RateLimits</c>) bound what one caller may ask for. Nothing is limited by default: behind a proxy that is not named in <see cref="Proxies"/> all
/// callers look like one.
/// </summary>
internal sealed class RateLimitOptions
{
    public const string Section = "Optiks:RateLimits";

    /// <summary>Lookups, histories and monitoring, by keys.</summary>
    [ValidateObjectMembers]
    public RateLimit Lookups { get; set; } = new();

    /// <summary>Updates, by items.</summary>
    [ValidateObjectMembers]
    public RateLimit Updates { get; set; } = new();

    /// <summary>Statuses of updates, by requests.</summary>
    [ValidateObjectMembers]
    public RateLimit Statuses { get; set; } = new();

    /// <summary>Audits: records and audit proofs, by epochs.</summary>
    [ValidateObjectMembers]
    public RateLimit Audits { get; set; } = new();

    /// <summary>Proxies whose <c>X-Forwarded-For</c> names the caller, as networks such as <c>10.0.0.0/8</c> or <c>::1/128</c>. The header is ignored from anyone else.</summary>
    /// <value>None.</value>
    public string[] Proxies { get; set; } = [];
}
