using Optiks.QueryService.Options;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Endpoints;

/// <summary>The settings that the endpoints for lookups of keys and lookups of users share.</summary>
internal static class LookupRoutes
{
    /// <summary>The greatest length of a request's body.</summary>
    public const long MaxBodyLength = 1024 * 1024;

    /// <summary>Limits an endpoint's rate, and opens the endpoint to everyone unless the operator closed lookups.</summary>
    public static void AsLookup(this RouteHandlerBuilder route, QueryServiceOptions options)
    {
        route.LimitRate(RateLimitKind.Lookups);
        if (options.RequireLookupScope)
        {
            route.Require(Access.Lookup);
        }
        else
        {
            route.AllowBrowsers();
        }
    }

    /// <summary>Returns whether the caller's proofs may come from the cache and be added to the cache.</summary>
    public static bool UsesCacheFor(this QueryServiceOptions options, HttpContext context) =>
        !options.HideCacheFromAnonymous || CallerRights.Get(context) is { IsToken: false };
}
