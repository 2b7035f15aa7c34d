using System.Runtime.InteropServices;

namespace Optiks.UpdateTask.Time;

/// <summary>
/// Provides the system's wall clock, and a monotonic clock that continues while the machine sleeps. The usual monotonic clock stops during
/// sleep. With it, a machine that wakes up would look as if its wall clock had jumped.
/// </summary>
internal sealed partial class BootTimeProvider : TimeProvider
{
    // linux/time.h
    private const int CLOCK_BOOTTIME = 7;
    private const long NanosecondsPerSecond = 1_000_000_000;

    public override long TimestampFrequency => NanosecondsPerSecond;

    public override long GetTimestamp()
    {
        if (clock_gettime(CLOCK_BOOTTIME, out Timespec now) != 0)
        {
            throw new PlatformNotSupportedException($"clock_gettime: {Marshal.GetLastPInvokeErrorMessage()}");
        }
        return (now.Seconds * NanosecondsPerSecond) + now.Nanoseconds;
    }

    [LibraryImport("libc", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int clock_gettime(int clock, out Timespec time);

    // time_t and long are 64 bits on every 64-bit Linux, and Optiks supports only 64-bit Linux.
    [StructLayout(LayoutKind.Sequential)]
    private readonly struct Timespec
    {
        public readonly long Seconds;
        public readonly long Nanoseconds;
    }
}
