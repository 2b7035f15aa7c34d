using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Configuration;
using Scalar.AspNetCore;

namespace Optiks.ServiceDefaults;

/// <summary>Shows a service's <see cref="ApiDocument"/> as a page for people (Scalar), unless the operator turns the page off.</summary>
internal static class ApiReference
{
    /// <summary>The path at which the service serves the page.</summary>
    public const string Path = "/docs";

    // This Content-Security-Policy lets the page load nothing from other hosts and send nothing to them. The page's scripts and styles come
    // from the package, and some of them are inline.
    private const string Policy =
        "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    public static void Map(WebApplication app, string title)
    {
        if (!app.Configuration.GetSection(ApiReferenceOptions.Section)
            .GetValue(nameof(ApiReferenceOptions.Enabled), new ApiReferenceOptions().Enabled))
        {
            return;
        }
        app.MapScalarApiReference(
            Path,
            page => page.WithTitle(title).WithOpenApiRoutePattern(ApiDocument.Path).DisableDefaultFonts().DisableTelemetry().DisableAgent()
                .HideClientButton().HideDeveloperTools()).Add(endpoint =>
        {
            RequestDelegate answer = endpoint.RequestDelegate!;
            endpoint.RequestDelegate = context =>
            {
                context.Response.Headers.ContentSecurityPolicy = Policy;
                return answer(context);
            };
        });
    }
}
