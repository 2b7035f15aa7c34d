using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Optiks.UpdateTask.Buckets;

/// <summary>
/// Reports the bucket's size and any problem. It always reports ready: epochs are published and served from the board's folder anyway, and
/// a restart does not repair a bucket.
/// </summary>
internal sealed class BucketHealthCheck(BucketState state) : IHealthCheck
{
    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default) =>
        Task.FromResult(HealthCheckResult.Healthy(state.Problem is { } problem ? $"The bucket is behind, at size {state.Size}: {problem}" : $"The bucket has size {state.Size}."));
}
