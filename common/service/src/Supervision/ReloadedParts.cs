using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Options;

namespace Optiks.ServiceDefaults;

/// <summary>Holds the objects that <see cref="Reloading"/> needs.</summary>
/// <param name="Manager">The service manager to which the reload is reported.</param>
/// <param name="Configuration">The host's configuration.</param>
/// <param name="File">The host's settings file; null if the host has no such file.</param>
/// <param name="Settings">The types of the host's options, by the names of their sections.</param>
/// <param name="Limiter">The rate limiter that takes new limits.</param>
/// <param name="LimitsValidator">The validator of the new limits.</param>
/// <param name="Certificate">The certificate of the TLS listeners; null if the host has no such listeners.</param>
internal sealed record ReloadedParts(
    ServiceManager Manager, IConfiguration Configuration, SettingsFile? File, IReadOnlyDictionary<string, Type> Settings,
    RateLimiter Limiter, IValidateOptions<RateLimitOptions> LimitsValidator, TlsCertificate? Certificate);
