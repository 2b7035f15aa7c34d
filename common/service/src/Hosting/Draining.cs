using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Ends a service without failing a request that it accepted. When the service is told to stop, it first announces its end:
/// <c>/health/ready</c> answers 503, and each answer closes its connection. Load balancers and clients then move to other replicas, while
/// the service still answers all requests. After the drain time the server accepts no more connections, finishes current requests and ends.
/// Any thread may use it.
/// </summary>
internal sealed class Draining : IHostedLifecycleService, IHealthCheck
{
    private readonly TimeSpan _time;
    private readonly TimeProvider _clock;
    private volatile bool _isDraining;

    public Draining(TimeSpan time, TimeProvider clock)
    {
        _time = time;
        _clock = clock;
    }

    /// <summary>Makes each answer close its connection while the service drains. This must be the first middleware.</summary>
    public void Use(IApplicationBuilder app) => app.Use(next => context =>
    {
        // For HTTP/2 the server itself tells clients that the connection ends.
        if (_isDraining && HttpProtocol.IsHttp11(context.Request.Protocol))
        {
            // The header is set only when the answer starts, because the error handler clears headers that were set earlier.
            context.Response.OnStarting(() =>
            {
                context.Response.Headers.Connection = "close";
                return Task.CompletedTask;
            });
        }
        return next(context);
    });

    /// <inheritdoc/>
    public async Task StoppingAsync(CancellationToken cancellationToken)
    {
        _isDraining = true;
        await Task.Delay(_time, _clock, cancellationToken);
    }

    /// <inheritdoc/>
    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default) =>
        Task.FromResult(_isDraining ? HealthCheckResult.Unhealthy("The service is stopping.") : HealthCheckResult.Healthy());

    public Task StartingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StartedAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StoppedAsync(CancellationToken cancellationToken) => Task.CompletedTask;
}
