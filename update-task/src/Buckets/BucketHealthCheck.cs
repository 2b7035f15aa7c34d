using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Optiks.UpdateTask.Buckets;

/// <summary>BucketHealthCheck says how far the bucket is and what is wrong with it. It is always ready: epochs are published and served from the board's folder all the same, and no restart mends a bucket.</summary>
internal sealed class BucketHealthCheck(BucketState state) : IHealthCheck
{
    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default) =>
        Task.FromResult(HealthCheckResult.Healthy(state.Problem is { } problem ? $"The bucket has size {state.Size}, and stays behind: {problem}" : $"The bucket has size {state.Size}."));
}
