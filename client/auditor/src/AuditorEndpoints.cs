using System.Text;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Net.Http.Headers;
using Optiks.ServiceDefaults;

namespace Optiks.Auditor;

/// <summary>
/// Serves the auditor's signed statements (docs/spec/auditing.md section 4). It answers each request from one view, so that no answer mixes
/// two statements.
/// </summary>
internal static class AuditorEndpoints
{
    private const string Cached = "public, max-age=5";
    private const string Html = "text/html; charset=utf-8";

    public static void Map(WebApplication app, AuditedLogs logs)
    {
        Dictionary<string, LogAuditor> byId = logs.All.ToDictionary(log => log.View.Log.Id, StringComparer.Ordinal);
        app.MapGet("/", context => WriteAsync(context, Html, EvidencePage.Index(logs.Auditor, logs.Views)));
        Log("/{log}/checkpoint", view => view.Signed is { } signed ? ("text/plain; charset=utf-8", signed.Note) : null);
        Log("/{log}/coverage", view => ("application/json", CoverageJson.Write(view)));
        Log("/{log}/", view => (Html, Encoding.UTF8.GetBytes(EvidencePage.Render(view))));

        void Log(string route, Func<LogView, (string Type, byte[] Body)?> answer) => app.MapGet(route, context =>
        {
            if (context.Request.RouteValues["log"] is string id && byId.TryGetValue(id, out LogAuditor? log)
                && answer(log.View) is { } found)
            {
                return WriteAsync(context, found.Type, found.Body);
            }
            return new Problem(ProblemTypes.NotFound, "There is no such log here, or nothing of it is signed yet.").ExecuteAsync(context);
        });
    }

    private static Task WriteAsync(HttpContext context, string type, string body) =>
        WriteAsync(context, type, Encoding.UTF8.GetBytes(body));

    private static async Task WriteAsync(HttpContext context, string type, byte[] body)
    {
        HttpResponse response = context.Response;
        response.ContentType = type;
        response.ContentLength = body.Length;
        response.Headers.CacheControl = Cached;
        response.Headers[HeaderNames.XContentTypeOptions] = "nosniff";
        response.Headers[HeaderNames.ContentSecurityPolicy] =
            "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
        await response.Body.WriteAsync(body, context.RequestAborted).ConfigureAwait(false);
    }
}
