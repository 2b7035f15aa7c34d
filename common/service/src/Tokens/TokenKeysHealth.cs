using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Optiks.ServiceDefaults;

/// <summary>TokenKeysHealth says when the file of token keys is refused. Never unready for it: a mistake in one file would take all replicas out of the balancer.</summary>
internal sealed class TokenKeysHealth : IHealthCheck
{
    private readonly TokenVerifier _verifier;

    public TokenKeysHealth(TokenVerifier verifier)
    {
        _verifier = verifier;
    }

    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default) => Task.FromResult(
        HealthCheckResult.Healthy(_verifier.HasStaleKeys ? "The file of token keys is missing or invalid; the keys before the change still hold." : null));
}
