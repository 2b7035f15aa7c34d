using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Options;
using Optiks.UpdateTask.Options;

namespace Optiks.UpdateTask.Witnesses;

/// <summary>WitnessHealthCheck says when the quorum is missing. It is always ready: epochs are published all the same, and neither a restart nor another task mends a witness.</summary>
internal sealed class WitnessHealthCheck(WitnessState state, IOptions<WitnessOptions> options) : IHealthCheck
{
    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default) =>
        Task.FromResult(HealthCheckResult.Healthy(state.Describe(options.Value.QuorumGrace) ?? "No checkpoint was given to witnesses yet."));
}
