using System.Runtime.InteropServices;

namespace Optiks;

/// <summary>Keeps secrets out of core dumps.</summary>
public static partial class CoreDumps
{
    // linux/prctl.h
    private const int PR_SET_DUMPABLE = 4;

    /// <summary>
    /// Tells the kernel to write no core dump of this process. From then on, the kernel also stops other processes of the same user from
    /// reading this process's memory (a debugger needs CAP_SYS_PTRACE). Throws <see cref="StartupException"/> if the kernel refuses.
    /// </summary>
    public static void Forbid()
    {
        // Other systems lack this call. The command line also calls this method, because it uses key files, and it must run on those
        // systems too.
        if (!OperatingSystem.IsLinux())
        {
            return;
        }
        if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
        {
            throw new StartupException(
                $"Core dumps, which would contain secrets, cannot be disabled: {Marshal.GetLastPInvokeErrorMessage()}");
        }
    }

    [LibraryImport("libc", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int prctl(int option, nuint argument2, nuint argument3, nuint argument4, nuint argument5);
}
