using System.Globalization;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Optiks.ServiceDefaults;

/// <summary>BoardHealthCheck of a board at a distance: ready while it gave something that is believed within the time that the settings allow.</summary>
internal sealed class BoardHealthCheck(BoardWatch board) : IHealthCheck
{
    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default) => Task.FromResult(
        board.Problem is { } problem
            ? HealthCheckResult.Unhealthy(problem)
            : HealthCheckResult.Healthy(string.Create(CultureInfo.InvariantCulture, $"The board has size {board.Newest?.Size ?? 0}.")));
}
