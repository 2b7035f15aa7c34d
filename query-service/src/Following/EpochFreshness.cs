using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Optiks.QueryService.Following;

/// <summary>
/// Implements the health check of the service. The service is ready if it has a verified epoch that is not older than max_behind, and if
/// the follower reports no trouble.
/// </summary>
internal sealed class EpochFreshness : IHealthCheck
{
    private readonly CurrentEpoch _current;
    private readonly FollowerState _state;
    private readonly BoardReach _reach;
    private readonly DamagedFiles _damage;

    public EpochFreshness(CurrentEpoch current, FollowerState state, BoardReach reach, DamagedFiles damage)
    {
        _damage = damage;
        _current = current;
        _state = state;
        _reach = reach;
    }

    /// <inheritdoc/>
    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default) =>
        Task.FromResult(Check());

    private HealthCheckResult Check()
    {
        ServedEpoch? epoch = _current.Peek();
        if (_state.Trouble is { } trouble)
        {
            return HealthCheckResult.Unhealthy(epoch is null ? trouble : $"{trouble} Serving epoch {epoch.Epoch}.");
        }
        if (_damage.Any)
        {
            return HealthCheckResult.Unhealthy("This replica's own files are damaged, and are being rebuilt from the database.");
        }
        if (epoch is null)
        {
            return HealthCheckResult.Unhealthy("There is no verified epoch yet.");
        }
        TimeSpan age = _current.Age(epoch);
        string awaited = _reach.Awaited is { } last && last > epoch.Epoch ? $" Epochs up to {last} wait for their checkpoint." : "";
        return -age > _state.MaxAhead
            ? HealthCheckResult.Unhealthy(
                $"The newest verified epoch, {epoch.Epoch}, is {-age.TotalSeconds:F0} s in the future; {_state.MaxAhead.TotalSeconds:F0} s are allowed: compare this machine's clock with the update-task's.")
            : age <= _state.MaxBehind
            ? HealthCheckResult.Healthy($"Serving epoch {epoch.Epoch}.{awaited}")
            : HealthCheckResult.Unhealthy(
                $"The newest verified epoch, {epoch.Epoch}, is {age.TotalSeconds:F0} s old; {_state.MaxBehind.TotalSeconds:F0} s are allowed.{awaited}");
    }
}
