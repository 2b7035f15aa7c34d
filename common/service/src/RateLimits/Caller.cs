using System.Runtime.InteropServices;
using Microsoft.AspNetCore.Http;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Identifies the caller of a request, for limits that apply to each caller. A caller is identified by its API key or by the subject of its
/// token, or by its remote address if it has no credential. Only the /64 prefix of an IPv6 address counts, because one user can have a
/// whole /64.
/// </summary>
public static class Caller
{
    private const int PrefixLength = 8;

    /// <summary>
    /// Returns the number that represents a request's caller. It is a hash with a key that the process chose at random, so that nobody can
    /// choose a name with another caller's number.
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
