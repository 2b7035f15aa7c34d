using System.Runtime.InteropServices;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Bounds the cost of connections: their number, by the file descriptors that the process may open, and how long an idle connection keeps
/// its resources. Honest callers on slow lines do not come near any of the limits.
/// </summary>
internal static partial class ConnectionLimits
{
    /// <summary>The fewest descriptors with which a service starts.</summary>
    public const int LeastDescriptors = 1024;

    // The descriptors for databases, logs, libraries and listeners.
    private const int OwnDescriptors = 384;

    // A connection uses one descriptor for its socket and one for a file that is sent over the socket.
    private const int DescriptorsPerConnection = 2;

    // Part of the service's own descriptors: sockets of connections that are accepted only to be closed.
    private const int RefusedAtOnce = 64;

    // Above this number, memory is the limit: an idle connection holds some 100 KB.
    private const int MaxConnections = 8192;

    // The most that a connection buffers of an answer that its client does not read.
    private const long MaxResponseBufferLength = 32 * 1024;

    private static readonly TimeSpan s_grace = TimeSpan.FromSeconds(10);

    // The most that a connection buffers of requests that wait behind the current request. RequestBody counts the bytes of a longer body.
    private const long MaxRequestBufferLength = 64 * 1024;

    // The kernel takes small answers at once, whatever the client does. This limit ends clients that do not read long answers.
    private static readonly MinDataRate s_leastResponseRate = new(bytesPerSecond: 16 * 1024, s_grace);
    private static readonly MinDataRate s_leastBodyRate = new(bytesPerSecond: 4 * 1024, s_grace);
    private static readonly TimeSpan s_headersTime = TimeSpan.FromSeconds(10);

    // This is longer than clients and proxies keep idle connections (.NET and nginx: 60 s), so the client or proxy closes a connection
    // first.
    private static readonly TimeSpan s_keepAliveTime = TimeSpan.FromSeconds(90);

    /// <summary>Throws <see cref="StartupException"/> if the process may open too few descriptors.</summary>
    public static void RequireDescriptors() => RequireEnough(Descriptors());

    /// <summary>
    /// Returns the highest number of accepted connections that are not closed yet. They are the served connections and the excess
    /// connections that the server is about to close.
    /// </summary>
    public static int MaxAccepted(long descriptors) => (int)Served(descriptors) + RefusedAtOnce;

    /// <summary>Sets the limits. Throws <see cref="StartupException"/> if the process may open too few descriptors.</summary>
    public static void Set(KestrelServerLimits limits, long descriptors)
    {
        RequireEnough(descriptors);
        limits.MaxConcurrentConnections = Served(descriptors);
        limits.MinResponseDataRate = s_leastResponseRate;
        limits.MinRequestBodyDataRate = s_leastBodyRate;
        limits.RequestHeadersTimeout = s_headersTime;
        limits.KeepAliveTimeout = s_keepAliveTime;
        limits.MaxResponseBufferSize = MaxResponseBufferLength;
        limits.MaxRequestBufferSize = MaxRequestBufferLength;
    }

    private static long Served(long descriptors) => Math.Min(MaxConnections, (descriptors - OwnDescriptors) / DescriptorsPerConnection);

    private static void RequireEnough(long descriptors)
    {
        if (descriptors < LeastDescriptors)
        {
            throw new StartupException(
                $"The process may open {descriptors} files; {LeastDescriptors} are needed, so that connections cannot use them up. Raise the limit (ulimit -n, LimitNOFILE= of systemd).");
        }
    }

    /// <summary>
    /// Returns the number of descriptors that this process may open. The runtime has raised the limit as far as possible.
    /// </summary>
    public static long Descriptors() =>
        getrlimit(RLIMIT_NOFILE, out ResourceLimit limit) == 0
            ? (long)Math.Min(limit.Current, long.MaxValue)
            : throw new StartupException($"The limit of open files cannot be read: {Marshal.GetLastPInvokeErrorMessage()}");

    // asm-generic/resource.h
    private const int RLIMIT_NOFILE = 7;

    [LibraryImport("libc", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int getrlimit(int resource, out ResourceLimit limit);

    // rlim_t has 64 bits on every 64-bit Linux, and Optiks supports only 64-bit Linux.
    [StructLayout(LayoutKind.Sequential)]
    private readonly struct ResourceLimit
    {
        public readonly ulong Current;
        public readonly ulong Max;
    }
}
