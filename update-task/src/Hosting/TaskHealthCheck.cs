using System.Globalization;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Options;
using Optiks.UpdateTask.Options;

namespace Optiks.UpdateTask.Hosting;

/// <summary>
/// Reports whether the task is ready. A standby is always ready; the holder of the lease is ready while it makes its epochs in time.
/// </summary>
internal sealed class TaskHealthCheck : IHealthCheck
{
    // How long epochs may be overdue, for example because of a slow disk, before the task reports itself unhealthy.
    private static readonly TimeSpan s_grace = TimeSpan.FromSeconds(10);

    private readonly TaskState _state;
    private readonly TimeSpan _limit;

    public TaskHealthCheck(TaskState state, IOptions<EpochOptions> options)
    {
        _state = state;
        _limit = options.Value.EpochInterval + s_grace;
    }

    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        TaskStatus status = _state.Current;
        return Task.FromResult(status.Role switch
        {
            TaskRole.Standby => HealthCheckResult.Healthy("Standby: another task holds the lease."),
            TaskRole.Leading when status.Problem is not null => HealthCheckResult.Unhealthy(status.Problem),
            TaskRole.Leading when _state.SinceProgress > _limit => HealthCheckResult.Unhealthy("The last epoch is overdue."),
            TaskRole.Leading => HealthCheckResult.Healthy($"Published epoch {status.PublishedEpoch}.{DescribeNextPeriod(status)}"),
            TaskRole.Recovering => HealthCheckResult.Unhealthy(status.Problem ?? "Rebuilding the trees."),
            _ => HealthCheckResult.Unhealthy(status.Problem ?? "Opening the database."),
        });
    }

    private static string DescribeNextPeriod(TaskStatus status)
    {
        string begins = status.NextPeriodAt is { } at
            ? string.Create(CultureInfo.InvariantCulture, $" Period {status.Period + 1} begins at {at:u}.")
            : "";
        return status.Copies is { } copies
            ? string.Create(CultureInfo.InvariantCulture, $"{begins} Period {status.Period + 1} is being prepared: {copies} copies.")
            : begins;
    }
}
