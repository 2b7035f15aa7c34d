using Microsoft.Extensions.Diagnostics.HealthChecks;
using Optiks.ApiKeys;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Reports whether the file of API keys is invalid. An invalid file never makes the service unready, because otherwise one mistake in that
/// file would remove all replicas from the load balancer.
/// </summary>
internal sealed class ApiKeysHealth : IHealthCheck
{
    private readonly ApiKeyStore _keys;

    public ApiKeysHealth(ApiKeyStore keys)
    {
        _keys = keys;
    }

    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default) =>
        Task.FromResult(
        HealthCheckResult.Healthy(_keys.IsStale() ? "The API key file is invalid; the previous keys remain in effect." : null));
}
