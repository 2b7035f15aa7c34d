using Microsoft.AspNetCore.Builder;

namespace Optiks.ServiceDefaults;

/// <summary>Protects endpoints with an <see cref="Access"/>.</summary>
public static class AccessExtensions
{
    /// <summary>Makes endpoints answer only callers whose credential has the given access. Other callers get 401 or 403.</summary>
    public static TBuilder Require<TBuilder>(this TBuilder builder, Access access)
        where TBuilder : IEndpointConventionBuilder
    {
        ArgumentNullException.ThrowIfNull(access);
        return builder.RequireAuthorization(access.Policy).WithMetadata(access);
    }
}
