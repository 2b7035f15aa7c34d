using Microsoft.AspNetCore.Builder;

namespace Optiks.ServiceDefaults;

/// <summary>AccessExtensions put an <see cref="Access"/> before endpoints.</summary>
public static class AccessExtensions
{
    /// <summary>Require makes endpoints answer only callers whose credential allows it; 401 and 403 otherwise.</summary>
    public static TBuilder Require<TBuilder>(this TBuilder builder, Access access)
        where TBuilder : IEndpointConventionBuilder
    {
        ArgumentNullException.ThrowIfNull(access);
        return builder.RequireAuthorization(access.Policy).WithMetadata(access);
    }
}
