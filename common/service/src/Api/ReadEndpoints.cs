using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;

namespace Optiks.ServiceDefaults;

/// <summary>Maps endpoints whose requests change nothing.</summary>
public static class ReadEndpoints
{
    /// <summary>Maps an endpoint for the methods GET and HEAD. The answer to HEAD has no body.</summary>
    public static RouteHandlerBuilder MapRead(this IEndpointRouteBuilder routes, string pattern, Delegate handler) =>
        routes.MapMethods(pattern, [HttpMethods.Get, HttpMethods.Head], handler);
}
