using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Reports whether the file of token keys is invalid. An invalid file never makes the service unready, because otherwise one mistake in
/// that file would remove all replicas from the load balancer.
/// </summary>
internal sealed class TokenKeysHealth : IHealthCheck
{
    private readonly TokenVerifier _verifier;

    public TokenKeysHealth(TokenVerifier verifier)
    {
        _verifier = verifier;
    }

    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default) =>
        Task.FromResult(
        HealthCheckResult.Healthy(
            _verifier.HasStaleKeys ? "The token key file is missing or invalid; the previous keys remain in effect." : null));
}
