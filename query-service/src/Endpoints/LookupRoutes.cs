using Optiks.QueryService.Options;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Endpoints;

/// <summary>Applies the settings that the endpoints for lookups of keys and of users have in common.</summary>
internal static class LookupRoutes
{
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
}
