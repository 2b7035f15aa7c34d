using Microsoft.Extensions.Diagnostics.HealthChecks;
using Optiks.ApiKeys;

namespace Optiks.ServiceDefaults;

/// <summary>ApiKeysHealth says when the file of API keys is refused. Never unready for it: a mistake in one file would take all replicas out of the balancer.</summary>
internal sealed class ApiKeysHealth : IHealthCheck
{
    private readonly ApiKeyStore _keys;

    public ApiKeysHealth(ApiKeyStore keys)
    {
        _keys = keys;
    }

    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default) => Task.FromResult(
        HealthCheckResult.Healthy(_keys.IsStale() ? "The file of API keys is invalid; the keys before the change still hold." : null));
}
