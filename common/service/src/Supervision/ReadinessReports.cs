using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Tells the <see cref="ServiceManager"/> when the service is ready, which is when <c>/health/ready</c> first succeeds. Afterwards it sends
/// the reports of the health checks.
/// </summary>
/// <remarks>This class runs the health checks itself, because the framework's runner logs an error each time that a check is not
/// healthy.</remarks>
internal sealed class ReadinessReports : BackgroundService
{
    // The interval of the checks until the service is ready. It is short, so that readiness is reported without a noticeable delay.
    private static readonly TimeSpan s_startInterval = TimeSpan.FromMilliseconds(250);

    // The interval of the later reports, which people read in the service's status.
    private static readonly TimeSpan s_interval = TimeSpan.FromSeconds(10);

    private readonly ServiceManager _manager;
    private readonly IServiceProvider _services;
    private readonly ICollection<HealthCheckRegistration> _checks;
    private readonly IHostApplicationLifetime _lifetime;

    public ReadinessReports(ServiceManager manager, IServiceProvider services, IOptions<HealthCheckServiceOptions> checks,
        IHostApplicationLifetime lifetime)
    {
        ArgumentNullException.ThrowIfNull(checks);
        _manager = manager;
        _services = services;
        _checks = checks.Value.Registrations;
        _lifetime = lifetime;
    }

    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        await using CancellationTokenRegistration stopping = _lifetime.ApplicationStopping.Register(_manager.TellStopping);
        await _lifetime.StartedAsync(stoppingToken);
        (string Text, bool IsReady) said = ("", false);
        bool wasReady = false;
        while (true)
        {
            (string Text, bool IsReady) status = await StatusAsync(stoppingToken);
            if (status != said)
            {
                _manager.TellStatus(status.Text, status.IsReady);
                said = status;
            }
            wasReady |= status.IsReady;
            await Task.Delay(wasReady ? s_interval : s_startInterval, stoppingToken);
        }
    }

    private async Task<(string Text, bool IsReady)> StatusAsync(CancellationToken stop)
    {
        using IServiceScope scope = _services.CreateScope();
        bool isReady = true;
        var sentences = new List<string>();
        foreach (HealthCheckRegistration check in _checks)
        {
            HealthCheckResult result = await ResultAsync(check, scope.ServiceProvider, stop);
            if (isReady && result.Status != HealthStatus.Healthy)
            {
                // If the service is not ready, the status that is reported is only the description of the problem.
                isReady = false;
                sentences.Clear();
            }
            if (isReady == (result.Status == HealthStatus.Healthy) && result.Description is { Length: > 0 } description)
            {
                sentences.Add(description);
            }
        }
        return ($"{(isReady ? "Ready." : "Not ready.")} {string.Join(' ', sentences)}".TrimEnd(), isReady);
    }

    private static async Task<HealthCheckResult> ResultAsync(
        HealthCheckRegistration check, IServiceProvider services, CancellationToken stop)
    {
        try
        {
            return await check.Factory(services).CheckHealthAsync(new HealthCheckContext { Registration = check }, stop);
        }
        // A check that throws any exception counts as not healthy, as in the answer of /health/ready. The exception is logged only when a
        // request to /health/ready runs the check.
        catch (Exception e)
        {
            // When the service is told to stop, checks are cancelled and may fail with any exception.
            stop.ThrowIfCancellationRequested();
            return HealthCheckResult.Unhealthy($"The check {check.Name} failed: {e.GetType().Name}.");
        }
    }
}
