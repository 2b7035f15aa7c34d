using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Options;
using Optiks.UpdateTask.Options;

namespace Optiks.UpdateTask.Witnesses;

/// <summary>
/// WitnessHealthCheck says when the quorum is missing. It is ready all the same, as neither a restart nor another task mends a witness, unless cosignatures are required: then nothing is published, which is what the task is for.
/// </summary>
internal sealed class WitnessHealthCheck(WitnessState state, IOptions<WitnessOptions> options) : IHealthCheck
{
    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        TimeSpan grace = options.Value.QuorumGrace;
        string description = state.Describe(grace) ?? "No checkpoint was given to witnesses yet.";
        return Task.FromResult(options.Value.Require && state.IsMissing(grace) ? HealthCheckResult.Unhealthy(description) : HealthCheckResult.Healthy(description));
    }
}
