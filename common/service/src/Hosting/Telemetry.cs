using System.Diagnostics;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using OpenTelemetry;
using OpenTelemetry.Logs;
using OpenTelemetry.Metrics;
using OpenTelemetry.Resources;
using OpenTelemetry.Trace;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Exports metrics, traces and logs by OTLP if <c>OTEL_EXPORTER_OTLP_ENDPOINT</c> is set, and lets Prometheus scrape metrics if
/// <see cref="MetricsOptions"/> allow it. Without either setting, telemetry costs nothing. ASP.NET Core, Kestrel, the runtime and the
/// drivers publish their own meters and activity sources, which are selected by name.
/// </summary>
internal static class Telemetry
{
    /// <summary>The variable that names the collector.</summary>
    public const string EndpointVariable = "OTEL_EXPORTER_OTLP_ENDPOINT";

    private const string MetricsPath = "/metrics";

    // OpenTelemetry gives this name to a request whose route and method it does not know.
    private const string UnknownRoute = "HTTP";

    private static readonly string[] s_meters =
    [
        "Optiks.*", "Microsoft.AspNetCore.Hosting", "Microsoft.AspNetCore.Server.Kestrel", "Microsoft.AspNetCore.Diagnostics",
        "Microsoft.AspNetCore.Authentication", "Microsoft.AspNetCore.RateLimiting", "System.Runtime", "System.Net.Http", "Npgsql",
    ];

    private static readonly string[] s_sources = ["Optiks.*", "Microsoft.AspNetCore", "System.Net.Http", "Npgsql"];

    public static void Add(WebApplicationBuilder builder, string serviceName)
    {
        bool isSent = !string.IsNullOrEmpty(builder.Configuration[EndpointVariable]);
        bool isFetched = IsFetched(builder.Configuration);
        if (!isSent && !isFetched)
        {
            return;
        }
        OpenTelemetryBuilder telemetry = builder.Services.AddOpenTelemetry()
            // The environment variables OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES override the service's name.
            .ConfigureResource(resource => resource.AddService(serviceName).AddEnvironmentVariableDetector())
            .WithMetrics(meters =>
            {
                meters.AddMeter(s_meters);
                if (isFetched)
                {
                    meters.AddPrometheusExporter(prometheus => prometheus.ScrapeEndpointPath = MetricsPath);
                }
                if (isSent)
                {
                    meters.AddOtlpExporter();
                }
            });
        if (isSent)
        {
            telemetry.WithTracing(traces => traces.AddSource(s_sources).AddOtlpExporter()).WithLogging(logs => logs.AddOtlpExporter(), logs => logs.IncludeFormattedMessage = true);
        }
    }

    /// <summary>Maps the address that Prometheus scrapes, if scraping is on.</summary>
    public static void MapMetrics(WebApplication app)
    {
        if (IsFetched(app.Configuration))
        {
            app.MapPrometheusScrapingEndpoint().Require(Access.Metrics);
        }
    }

    private static bool IsFetched(IConfiguration configuration) => configuration.GetSection(MetricsOptions.Section).GetValue<bool>(nameof(MetricsOptions.Prometheus));

    /// <summary>Completes the spans of requests. Call this method before all middleware that answers.</summary>
    public static void UseSpans(WebApplication app)
    {
        if (app.Services.GetService<TracerProvider>() is null)
        {
            return;
        }
        app.Use(async (context, next) =>
        {
            if (Activity.Current is not { IsAllDataRequested: true } span)
            {
                await next(context);
                return;
            }
            span.DisplayName = UnknownRoute;
            await next(context);
            span.SetTag("http.response.status_code", context.Response.StatusCode);
            if (context.Response.StatusCode >= StatusCodes.Status500InternalServerError)
            {
                span.SetStatus(ActivityStatusCode.Error);
            }
        });
    }

    /// <summary>
    /// Names the spans by method and route, never by path or query, which may contain keys. Call this method after routing.
    /// </summary>
    public static void UseRoutes(WebApplication app)
    {
        if (app.Services.GetService<TracerProvider>() is null)
        {
            return;
        }
        app.Use((context, next) =>
        {
            if (Activity.Current is { IsAllDataRequested: true } span && context.GetEndpoint() is RouteEndpoint { RoutePattern.RawText: { } route })
            {
                span.DisplayName = $"{context.Request.Method} {route}";
                span.SetTag("http.request.method", context.Request.Method);
                span.SetTag("http.route", route);
            }
            return next(context);
        });
    }
}
