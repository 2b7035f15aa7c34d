using System.Runtime.InteropServices;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Limits the resources that connections use. The number of connections follows from the number of file descriptors that the process may
/// open, and idle connections are closed after a time. Honest callers on slow lines do not come near any of the limits.
/// </summary>
internal static partial class ConnectionLimits
{
    /// <summary>The lowest number of file descriptors with which a service starts.</summary>
    public const int LeastDescriptors = 1024;

    // The number of descriptors that the service needs for databases, logs, libraries and listeners.
    private const int OwnDescriptors = 384;

    // The number of descriptors that a connection uses: one for its socket, and one for a file that is sent over the socket.
    private const int DescriptorsPerConnection = 2;

    // The number of excess connections, which the server accepts only to close them. Their sockets are a part of `OwnDescriptors`.
    private const int RefusedAtOnce = 64;

    // The highest number of connections, however many descriptors there are. It bounds the memory, because an idle connection holds about
    // 100 KB.
    private const int MaxConnections = 8192;

    // The highest number of bytes of an answer that a connection buffers while its client does not read them.
    private const long MaxResponseBufferLength = 32 * 1024;

    private static readonly TimeSpan s_grace = TimeSpan.FromSeconds(10);

    // The highest number of bytes that a connection buffers of its next requests, which wait until the current request is answered.
    // `RequestBody` limits longer bodies.
    private const long MaxRequestBufferLength = 64 * 1024;

    // The least rate in bytes per second at which a client must read an answer. The limit matters only for long answers, because the kernel
    // buffers short answers even if the client does not read them.
    private static readonly MinDataRate s_leastResponseRate = new(bytesPerSecond: 16 * 1024, s_grace);
    private static readonly MinDataRate s_leastBodyRate = new(bytesPerSecond: 4 * 1024, s_grace);
    private static readonly TimeSpan s_headersTime = TimeSpan.FromSeconds(10);

    // The time for which an idle connection is kept. Clients and proxies keep idle connections for a shorter time (.NET and nginx: 60 s),
    // so they close the connection before the service does.
    private static readonly TimeSpan s_keepAliveTime = TimeSpan.FromSeconds(90);

    /// <summary>Throws <see cref="StartupException"/> if the process may open too few file descriptors.</summary>
    public static void RequireDescriptors() => RequireEnough(Descriptors());

    /// <summary>
    /// Returns the highest number of open accepted connections. They are the connections that the server serves, and excess connections
    /// that it is about to close.
    /// </summary>
    public static int MaxAccepted(long descriptors) => (int)Served(descriptors) + RefusedAtOnce;

    /// <summary>Sets Kestrel's limits. Throws <see cref="StartupException"/> if the process may open too few file descriptors.</summary>
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
    /// Returns the number of file descriptors that this process may open. The .NET runtime has already raised this number as far as
    /// possible.
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

    // The C type `rlim_t` has 64 bits on every 64-bit Linux, and Optiks supports only 64-bit Linux.
    [StructLayout(LayoutKind.Sequential)]
    private readonly struct ResourceLimit
    {
        public readonly ulong Current;
        public readonly ulong Max;
    }
}
