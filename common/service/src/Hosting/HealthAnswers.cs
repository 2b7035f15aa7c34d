using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Diagnostics.HealthChecks;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Maps the two health endpoints. <c>/health/live</c> answers 200 as long as the process answers at all. <c>/health/ready</c> answers 200
/// if every check that the host registered is healthy. Otherwise it answers 503 with the descriptions of the checks, which anyone may read.
/// </summary>
internal static class HealthAnswers
{
    public static void Map(WebApplication app)
    {
        app.MapHealthChecks("/health/live", new HealthCheckOptions { Predicate = _ => false, ResponseWriter = WriteAsync });
        app.MapHealthChecks("/health/ready", new HealthCheckOptions
        {
            ResponseWriter = WriteAsync,
            ResultStatusCodes = { [HealthStatus.Degraded] = StatusCodes.Status503ServiceUnavailable },
        });
    }

    private static async Task WriteAsync(HttpContext context, HealthReport report)
    {
        context.Response.ContentType = "application/json";
        var writer = new Utf8JsonWriter(context.Response.BodyWriter);
        await using (writer.ConfigureAwait(false))
        {
            writer.WriteStartObject();
            writer.WriteString("status"u8, report.Status == HealthStatus.Healthy ? "healthy" : "unhealthy");
            writer.WriteStartObject("checks"u8);
            foreach ((string name, HealthReportEntry entry) in report.Entries)
            {
                writer.WriteStartObject(name);
                writer.WriteString("status"u8, entry.Status == HealthStatus.Healthy ? "healthy" : "unhealthy");
                if (entry.Description is not null)
                {
                    writer.WriteString("description"u8, entry.Description);
                }
                writer.WriteEndObject();
            }
            writer.WriteEndObject();
            writer.WriteEndObject();
        }
    }
}
