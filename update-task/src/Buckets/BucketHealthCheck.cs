using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Optiks.UpdateTask.Buckets;

/// <summary>
/// Reports the size of the bucket's checkpoint, and the bucket's problem if there is one. A problem of the bucket never makes the task
/// unready, because epochs are published and served from the board's folder, and a restart does not repair a bucket.
/// </summary>
internal sealed class BucketHealthCheck(BucketState state) : IHealthCheck
{
    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default) =>
        Task.FromResult(
            HealthCheckResult.Healthy(
                state.Problem is { } problem
                    ? $"The bucket is behind, at size {state.Size}: {problem}"
                    : $"The bucket has size {state.Size}."));
}
