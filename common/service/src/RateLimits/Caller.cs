using System.Runtime.InteropServices;
using Microsoft.AspNetCore.Http;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Caller is who a request is counted for, wherever one caller may have only so much: the API key, the subject of the token, or else the remote address, of which IPv6 counts by the /64 that
/// one user can have whole.
/// </summary>
public static class Caller
{
    private const int PrefixLength = 8;

    /// <summary>Of a request gives a number that stands for its caller. The hash of strings is keyed by the process, so that nobody can choose to share another one's.</summary>
    public static int Of(HttpContext context)
    {
        ArgumentNullException.ThrowIfNull(context);
        if (CallerRights.Of(context) is { } rights)
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
