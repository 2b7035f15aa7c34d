using Microsoft.AspNetCore.Http;

namespace Optiks.Client.Tests;

/// <summary>Sends the answers of <see cref="FixtureServer"/> that do not depend on the log.</summary>
internal static class FixtureAnswers
{
    /// <summary>Sends bytes until the client stops reading.</summary>
    public static async Task SendEndlesslyAsync(HttpContext context)
    {
        context.Response.ContentType = context.Request.Headers.Accept.ToString();
        byte[] octets = new byte[1 << 20];
        try
        {
            while (!context.RequestAborted.IsCancellationRequested)
            {
                await context.Response.Body.WriteAsync(octets, context.RequestAborted);
            }
        }
        catch (Exception e) when (e is IOException or OperationCanceledException)
        {
            // The client has stopped reading the answer, so end it.
        }
    }

    /// <summary>Sends a problem of the given type.</summary>
    public static async Task ProblemAsync(HttpContext context, int status, string problem)
    {
        context.Response.StatusCode = status;
        context.Response.ContentType = "application/problem+json";
        await context.Response.WriteAsync(
            $$"""{"type":"urn:optiks:problem:{{problem}}","title":"{{problem}}","status":{{status}},"detail":"a detail","trace_id":"00-1-2-00"}""");
    }
}
