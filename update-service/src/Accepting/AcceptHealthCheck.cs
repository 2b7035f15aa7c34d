using Microsoft.Extensions.Diagnostics.HealthChecks;
using Optiks.Storage;

namespace Optiks.UpdateService.Accepting;

/// <summary>
/// Reports that the service is ready if the database answers, is writable, accepted the last updates, and is not behind the board.
/// </summary>
internal sealed class AcceptHealthCheck : IHealthCheck
{
    private readonly IAcceptStore _store;
    private readonly RollbackGuard _guard;
    private readonly CommitHealth _health;

    public AcceptHealthCheck(IAcceptStore store, RollbackGuard guard, CommitHealth health)
    {
        _store = store;
        _guard = guard;
        _health = health;
    }

    public async Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        try
        {
            await _store.CheckWritableAsync(cancellationToken);
            _ = await _store.ReadHeadAsync(cancellationToken);
            return await _guard.CheckAsync(cancellationToken) is not null
                ? HealthCheckResult.Unhealthy(
                    "The database and the board do not agree; no updates are accepted until the operator has put the newest copies back.")
                : _health.HasFailed ? HealthCheckResult.Unhealthy("The database did not accept the last updates.")
                : HealthCheckResult.Healthy();
        }
        catch (StorageException e)
        {
            return HealthCheckResult.Unhealthy("The database cannot be used.", e);
        }
    }
}
