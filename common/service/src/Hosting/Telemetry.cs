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
/// <see cref="MetricsOptions"/> allow it. If neither is configured, telemetry is not set up and takes no time. ASP.NET Core, Kestrel, the
/// .NET runtime and the database drivers publish their own meters and activity sources, which this class selects by name.
/// </summary>
internal static class Telemetry
{
    /// <summary>The environment variable with the collector's address.</summary>
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
            // The environment variables OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES override `serviceName`.
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
            telemetry.WithTracing(traces => traces.AddSource(s_sources).AddOtlpExporter())
                .WithLogging(logs => logs.AddOtlpExporter(), logs => logs.IncludeFormattedMessage = true);
        }
    }

    /// <summary>Maps the endpoint that Prometheus scrapes, if the settings allow scraping.</summary>
    public static void MapMetrics(WebApplication app)
    {
        if (IsFetched(app.Configuration))
        {
            app.MapPrometheusScrapingEndpoint().Require(Access.Metrics);
        }
    }

    private static bool IsFetched(IConfiguration configuration) =>
        configuration.GetSection(MetricsOptions.Section).GetValue<bool>(nameof(MetricsOptions.Prometheus));

    /// <summary>Adds the middleware that completes the spans of requests. Call this method before adding any middleware that answers
    /// requests.</summary>
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
    /// Adds the middleware that names each span by the request's method and route. The path and the query are never used, because they may
    /// contain keys. Call this method after routing.
    /// </summary>
    public static void UseRoutes(WebApplication app)
    {
        if (app.Services.GetService<TracerProvider>() is null)
        {
            return;
        }
        app.Use((context, next) =>
        {
            if (Activity.Current is { IsAllDataRequested: true } span
                && context.GetEndpoint() is RouteEndpoint { RoutePattern.RawText: { } route })
            {
                span.DisplayName = $"{context.Request.Method} {route}";
                span.SetTag("http.request.method", context.Request.Method);
                span.SetTag("http.route", route);
            }
            return next(context);
        });
    }
}
