using System.Diagnostics.Metrics;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Logging;
using Optiks.ServiceDefaults;
using Optiks.Settings;

namespace Optiks.Witness;

/// <summary>Serves a witness over HTTP until the process is told to stop.</summary>
public static class WitnessHost
{
    /// <summary>The default URL on which a witness listens.</summary>
    public const string DefaultUrl = Programs.WitnessUrl;

    /// <summary>
    /// Serves the witness of a folder until SIGTERM, or until <paramref name="cancellationToken"/> is cancelled, and returns the exit code.
    /// If an operator can fix a problem, the call describes it in one sentence on standard error.
    /// </summary>
    public static Task<int> RunAsync(WitnessFolder folder, string urls, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(folder);
        return Startup.RunAsync(async () =>
        {
            FailPoints.EnsureValid();
            WitnessedLogs? logs = null;
            try
            {
                WebApplicationBuilder builder = CreateBuilder(folder, urls);
                builder.Services.AddHealthChecks().AddCheck("witness", () => Health(logs!));
                await using WebApplication app = builder.Build();
                ILogger logger = app.Services.GetRequiredService<ILogger<WitnessFolder>>();
                TimeProvider time = app.Services.GetRequiredService<TimeProvider>();
                logs = await WitnessedLogs.OpenAsync(folder, time, logger, cancellationToken);
                using var metrics = new WitnessMetrics(app.Services.GetRequiredService<IMeterFactory>(), logs);
                app.UseOptiksDefaults();
                new WitnessEndpoints(logs, metrics, logger).Map(app);
                string vkey = logs.Key.ToString();
                logger.WitnessStarted(logs.All.Count, vkey);
                using CancellationTokenRegistration stop = cancellationToken.Register(app.Lifetime.StopApplication);
                await Startup.RunHostAsync(app);
            }
            finally
            {
                logs?.Dispose();
            }
        });
    }

    private static WebApplicationBuilder CreateBuilder(WitnessFolder folder, string urls)
    {
        WebApplicationBuilder builder = ServiceBuilder.Create("--urls", urls);
        // Use the witness's own data folder, because a witness must not read the settings and API keys of a log's services on this machine.
        builder.Configuration[DataFolder.Variable] = folder.Root;
        builder.AddOptiksDefaults(
            OptiksServiceOptions.Read(Programs.Witness) with { MaxRequestBodyLength = AddCheckpointRequest.MaxLength });
        return builder;
    }

    private static HealthCheckResult Health(WitnessedLogs logs) =>
        logs.All.Select(log => log.Problem).FirstOrDefault(problem => problem is not null) is { } problem
        ? HealthCheckResult.Unhealthy(problem)
        : HealthCheckResult.Healthy($"Cosigning {logs.All.Count} logs.");
}
