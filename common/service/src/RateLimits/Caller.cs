using System.Runtime.InteropServices;
using Microsoft.AspNetCore.Http;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Identifies the caller of a request, wherever the service limits each caller's share. The identity is the API key, the subject of the
/// token, or otherwise the remote address. An IPv6 address counts by its /64, because one user can have a whole /64.
/// </summary>
public static class Caller
{
    private const int PrefixLength = 8;

    /// <summary>
    /// Returns the number that represents a request's caller. The hash of strings is keyed by the process, so that nobody can choose to
    /// share another caller's number.
    /// </summary>
    public static int Identify(HttpContext context)
    {
        ArgumentNullException.ThrowIfNull(context);
        if (CallerRights.Get(context) is { } rights)
        {
            return rights.Number;
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
}
