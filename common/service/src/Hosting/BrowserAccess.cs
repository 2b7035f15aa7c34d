using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Cors.Infrastructure;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using Microsoft.Net.Http.Headers;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Lets web pages of the configured origins read endpoints that need no credential (docs/operations/cors.md). Browsers send no credentials,
/// so a page can read only public answers. By default no origin is configured, and answers have no CORS headers.
/// </summary>
public static class BrowserAccess
{
    private const string Policy = "open";
    private static readonly TimeSpan s_preflightAge = TimeSpan.FromHours(1);

    /// <summary>Lets pages of the configured origins read these endpoints. Use this method only for endpoints that need no
    /// credential.</summary>
    public static TBuilder AllowBrowsers<TBuilder>(this TBuilder builder)
        where TBuilder : IEndpointConventionBuilder =>
        builder.RequireCors(Policy);

    internal static void Add(IServiceCollection services)
    {
        services.AddSingleton<IValidateOptions<CorsOptions>, CorsOptionsValidator>();
        services.AddOptionsWithValidateOnStart<CorsOptions>().BindConfiguration(CorsOptions.Section);
        services.AddCors();
        services.AddOptions<Microsoft.AspNetCore.Cors.Infrastructure.CorsOptions>().Configure<IOptions<CorsOptions>>((cors, options) =>
            cors.AddPolicy(Policy, policy => policy.WithOrigins(options.Value.Origins)
                .WithMethods(HttpMethods.Get, HttpMethods.Head, HttpMethods.Post)
                .WithHeaders(HeaderNames.ContentType, HeaderNames.IfNoneMatch)
                .WithExposedHeaders(HeaderNames.ETag, HeaderNames.RetryAfter)
                .SetPreflightMaxAge(s_preflightAge)));
    }

    /// <summary>Answers preflight requests, and marks answers that pages may read. Call this method after routing.</summary>
    internal static void Use(WebApplication app)
    {
        bool isOn = app.Services.GetRequiredService<IOptions<CorsOptions>>().Value.Origins.Length > 0;
        app.Use((context, next) =>
        {
            // Without this header, a shared cache could give a page an answer that was made for a caller without an origin.
            if (isOn && context.GetEndpoint()?.Metadata.GetMetadata<ICorsMetadata>() is not null)
            {
                context.Response.OnStarting(() =>
                {
                    if (!context.Response.Headers.Vary.Any(
                        value => value?.Contains(HeaderNames.Origin, StringComparison.OrdinalIgnoreCase) == true))
                    {
                        context.Response.Headers.AppendCommaSeparatedValues(HeaderNames.Vary, HeaderNames.Origin);
                    }
                    return Task.CompletedTask;
                });
            }
            return next(context);
        });
        app.UseCors();
    }
}
