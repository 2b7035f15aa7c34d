using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Options;
using Optiks.UpdateTask.Options;

namespace Optiks.UpdateTask.Witnesses;

/// <summary>
/// Reports a missing quorum. If cosignatures are optional, the task stays ready, because neither a restart nor another task repairs a
/// witness. If cosignatures are required, the check reports unhealthy, because the task then publishes nothing.
/// </summary>
internal sealed class WitnessHealthCheck(WitnessState state, IOptions<WitnessOptions> options) : IHealthCheck
{
    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        TimeSpan grace = options.Value.QuorumGrace;
        string description = state.Describe(grace) ?? "No checkpoint has been sent to witnesses yet.";
        return Task.FromResult(options.Value.Require && state.IsMissing(grace) ? HealthCheckResult.Unhealthy(description) : HealthCheckResult.Healthy(description));
    }
}
