using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using OpenTelemetry;
using OpenTelemetry.Logs;
using OpenTelemetry.Metrics;
using OpenTelemetry.Resources;
using OpenTelemetry.Trace;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Telemetry exports metrics, traces and logs by OTLP when <c>OTEL_EXPORTER_OTLP_ENDPOINT</c> is set, and costs nothing when it is not.
/// ASP.NET Core, Kestrel, the runtime and the drivers publish meters and activity sources of their own, which are taken by name.
/// </summary>
internal static class Telemetry
{
    private const string EndpointVariable = "OTEL_EXPORTER_OTLP_ENDPOINT";

    private static readonly string[] s_meters =
    [
        "Optiks.*", "Microsoft.AspNetCore.Hosting", "Microsoft.AspNetCore.Server.Kestrel", "Microsoft.AspNetCore.Diagnostics",
        "Microsoft.AspNetCore.Authentication", "Microsoft.AspNetCore.RateLimiting", "System.Runtime", "System.Net.Http", "Npgsql",
    ];

    private static readonly string[] s_sources = ["Optiks.*", "Microsoft.AspNetCore", "System.Net.Http", "Npgsql"];

    public static void Add(WebApplicationBuilder builder, string serviceName)
    {
        if (string.IsNullOrEmpty(builder.Configuration[EndpointVariable]))
        {
            return;
        }
        ResourceBuilder resource = ResourceBuilder.CreateDefault().AddService(serviceName).AddEnvironmentVariableDetector();
        builder.Logging.AddOpenTelemetry(logs => logs.SetResourceBuilder(resource).AddOtlpExporter());
        builder.Services.AddSingleton(_ => Sdk.CreateMeterProviderBuilder().SetResourceBuilder(resource).AddMeter(s_meters).AddOtlpExporter().Build());
        builder.Services.AddSingleton(_ => Sdk.CreateTracerProviderBuilder().SetResourceBuilder(resource).AddSource(s_sources).AddOtlpExporter().Build());
        builder.Services.AddHostedService<Starter>();
    }

    /// <summary>Starter has the container make the providers at the start; the container's disposal flushes them.</summary>
    private sealed class Starter : IHostedService
    {
        public Starter(MeterProvider meters, TracerProvider traces)
        {
            ArgumentNullException.ThrowIfNull(meters);
            ArgumentNullException.ThrowIfNull(traces);
        }

        public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
    }
}
