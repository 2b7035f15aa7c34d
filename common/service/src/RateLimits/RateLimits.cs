using System.Diagnostics.Metrics;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.HttpOverrides;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace Optiks.ServiceDefaults;

/// <summary>Adds <see cref="RateLimiter"/> before the endpoints that have a limit. Requests to other endpoints are not counted.</summary>
public static class RateLimits
{
    /// <summary>
    /// Limits the rate of requests to these endpoints. An endpoint that accepts several items in a request must call
    /// <see cref="RateLimiter.Spend"/> with their number.
    /// </summary>
    public static TBuilder LimitRate<TBuilder>(this TBuilder builder, RateLimitKind kind)
        where TBuilder : IEndpointConventionBuilder =>
        builder.WithMetadata(new Limited(kind));

    /// <summary>Returns whether the endpoint has a rate limit.</summary>
    internal static bool IsLimited(Endpoint endpoint) => endpoint.Metadata.GetMetadata<Limited>() is not null;

    internal static void Add(IServiceCollection services)
    {
        services.AddSingleton<IValidateOptions<RateLimitOptions>, RateLimitOptionsValidator>();
        services.AddOptionsWithValidateOnStart<RateLimitOptions>().BindConfiguration(RateLimitOptions.Section);
        services.AddSingleton(provider => new RateLimiter(
            provider.GetRequiredService<IOptions<RateLimitOptions>>().Value, provider.GetRequiredService<TimeProvider>(),
            provider.GetRequiredService<IMeterFactory>()));
    }

    /// <summary>Adds the middleware that takes the caller's address from the header of configured proxies. It must come before every part
    /// that uses the address.</summary>
    internal static void UseForwardedCallers(WebApplication app)
    {
        string[] proxies = app.Services.GetRequiredService<IOptions<RateLimitOptions>>().Value.Proxies;
        if (proxies.Length == 0)
        {
            return;
        }
        var options = new ForwardedHeadersOptions { ForwardedHeaders = ForwardedHeaders.XForwardedFor, ForwardLimit = null };
        options.KnownProxies.Clear();
        options.KnownIPNetworks.Clear();
        foreach (string proxy in proxies)
        {
            options.KnownIPNetworks.Add(System.Net.IPNetwork.Parse(proxy));
        }
        app.UseForwardedHeaders(options);
    }

    /// <summary>Adds the middleware that refuses requests beyond the rate limits. Call this method after authentication, which identifies
    /// the callers.</summary>
    internal static void UseLimits(WebApplication app)
    {
        RateLimiter limiter = app.Services.GetRequiredService<RateLimiter>();
        // The middleware is added even if no limit is set, because limits may be set while the service runs.
        app.Use((context, next) =>
            context.GetEndpoint()?.Metadata.GetMetadata<Limited>() is { } limited && limiter.Refuse(context, limited.Kind) is { } problem
                ? problem.ExecuteAsync(context)
                : next(context));
    }

    private sealed record Limited(RateLimitKind Kind);
}
