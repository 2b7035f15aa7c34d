using System.Globalization;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Optiks.ServiceDefaults;

/// <summary>Checks a board at a URL. The check is healthy as long as the last trusted answer of the board's server is not older than the
/// settings allow.</summary>
internal sealed class BoardHealthCheck(BoardWatch board) : IHealthCheck
{
    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default) =>
        Task.FromResult(
        board.Problem is { } problem
            ? HealthCheckResult.Unhealthy(problem)
            : HealthCheckResult.Healthy(string.Create(CultureInfo.InvariantCulture, $"The board has size {board.Newest?.Size ?? 0}.")));
}
