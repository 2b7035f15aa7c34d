using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Options;
using Optiks.UpdateTask.Options;

namespace Optiks.UpdateTask.Witnesses;

/// <summary>
/// Reports whether the quorum of witnesses is missing. If cosignatures are required, a missing quorum is unhealthy, because the task
/// publishes nothing without the quorum. If cosignatures are optional, the check stays healthy, because neither a restart nor another task
/// could repair a witness.
/// </summary>
internal sealed class WitnessHealthCheck(WitnessState state, IOptions<WitnessOptions> options) : IHealthCheck
{
    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        TimeSpan grace = options.Value.QuorumGrace;
        string description = state.Describe(grace) ?? "No checkpoint has been sent to witnesses yet.";
        return Task.FromResult(options.Value.Require && state.IsMissing(grace)
            ? HealthCheckResult.Unhealthy(description)
            : HealthCheckResult.Healthy(description));
    }
}
