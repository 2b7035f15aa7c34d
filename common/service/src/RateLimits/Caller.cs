using System.Runtime.InteropServices;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features.Authentication;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Caller is who a request is counted for, wherever one caller may have only so much: the name of the API key, or else the remote address, of which IPv6 counts by the /64 that one user
/// can have whole.
/// </summary>
public static class Caller
{
    private const int PrefixLength = 8;

    /// <summary>IsKnown says whether the request has a valid API key.</summary>
    public static bool IsKnown(HttpContext context) => NameOf(context) is not null;

    /// <summary>Of a request gives a number that stands for its caller. The hash of strings is keyed by the process, so that nobody can choose to share another one's.</summary>
    public static int Of(HttpContext context)
    {
        ArgumentNullException.ThrowIfNull(context);
        if (NameOf(context) is { } name)
        {
            return string.GetHashCode(name);
        }
        Span<byte> octets = stackalloc byte[16];
        int length = 0;
        if (context.Connection.RemoteIpAddress is { } address)
        {
            _ = (address.IsIPv4MappedToIPv6 ? address.MapToIPv4() : address).TryWriteBytes(octets, out length);
            length = Math.Min(length, PrefixLength);
        }
        return string.GetHashCode(MemoryMarshal.Cast<byte, char>(octets[..length]));
    }

    // HttpContext.User would make an empty user for a caller who has none.
    private static string? NameOf(HttpContext context) =>
        context.Features.Get<IHttpAuthenticationFeature>()?.User?.Identity is { IsAuthenticated: true, Name: { } name } ? name : null;
}
