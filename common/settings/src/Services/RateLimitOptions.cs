using Microsoft.Extensions.Options;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Limits the requests of each caller (<c>Optiks:RateLimits</c>). Nothing is limited by default: behind a proxy that <see cref="Proxies"/>
/// does not name, all callers look like one.
/// </summary>
internal sealed class RateLimitOptions
{
    public const string Section = "Optiks:RateLimits";

    /// <summary>The limit on lookups, histories and monitoring, by keys.</summary>
    [ValidateObjectMembers]
    public RateLimit Lookups { get; set; } = new();

    /// <summary>The limit on updates, by items.</summary>
    [ValidateObjectMembers]
    public RateLimit Updates { get; set; } = new();

    /// <summary>The limit on statuses of updates, by requests.</summary>
    [ValidateObjectMembers]
    public RateLimit Statuses { get; set; } = new();

    /// <summary>The limit on records and audit proofs, by epochs.</summary>
    [ValidateObjectMembers]
    public RateLimit Audits { get; set; } = new();

    /// <summary>
    /// The proxies whose <c>X-Forwarded-For</c> names the caller, as networks such as <c>10.0.0.0/8</c> or <c>::1/128</c>. The header is
    /// ignored if it comes from any other sender.
    /// </summary>
    /// <value>None.</value>
    public string[] Proxies { get; set; } = [];
}
