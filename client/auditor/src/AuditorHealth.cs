using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Optiks.Auditor;

/// <summary>
/// Reports the auditor as ready if it has no finding, and if for each log the last signed epoch is no older than the log's
/// <c>max_behind</c>.
/// </summary>
internal sealed class AuditorHealth : IHealthCheck
{
    private readonly AuditedLogs _logs;
    private readonly TimeProvider _time;

    public AuditorHealth(AuditedLogs logs, TimeProvider time)
    {
        (_logs, _time) = (logs, time);
    }

    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        DateTimeOffset now = _time.GetUtcNow();
        LogView[] views = [.. _logs.Views];
        LogView[] wrong = [.. views.Where(view => !view.IsCurrent(now))];
        string said = string.Join(" ", (wrong.Length > 0 ? wrong : views).Select(view => $"{view.Origin}: {view.PublicDescription}"));
        return Task.FromResult(wrong.Length > 0 ? HealthCheckResult.Unhealthy(said) : HealthCheckResult.Healthy(said));
    }
}
