using Optiks.QueryService.Options;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Endpoints;

/// <summary>Holds the settings that the endpoints for lookups of keys and of users have in common.</summary>
internal static class LookupRoutes
{
    /// <summary>The greatest length of a request's body in bytes.</summary>
    public const long MaxBodyLength = 1024 * 1024;

    /// <summary>Applies the rate limits to an endpoint, and opens the endpoint to everyone, unless the operator closed lookups.</summary>
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

    /// <summary>Returns whether VRF proofs for this caller may be taken from the cache and added to it.</summary>
    public static bool UsesCacheFor(this QueryServiceOptions options, HttpContext context) =>
        !options.HideCacheFromAnonymous || CallerRights.Get(context) is { IsToken: false };
}
