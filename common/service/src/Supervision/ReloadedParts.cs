using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Options;

namespace Optiks.ServiceDefaults;

/// <summary>ReloadedParts are what <see cref="Reloading"/> reads from and tells.</summary>
/// <param name="Manager">Who waits for it.</param>
/// <param name="Configuration">The host's.</param>
/// <param name="File">Its file of settings, if there is one.</param>
/// <param name="Settings">The host's options by their section.</param>
/// <param name="Limiter">Takes new limits.</param>
/// <param name="LimitsValidator">Judges them.</param>
/// <param name="Certificate">Of the listeners with TLS, if there are any.</param>
internal sealed record ReloadedParts(
    ServiceManager Manager, IConfiguration Configuration, SettingsFile? File, IReadOnlyDictionary<string, Type> Settings, RateLimiter Limiter, IValidateOptions<RateLimitOptions> LimitsValidator, TlsCertificate? Certificate);
