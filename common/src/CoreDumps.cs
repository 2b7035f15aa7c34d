using System.Runtime.InteropServices;

namespace Optiks;

/// <summary>Keeps secrets out of core dumps.</summary>
public static partial class CoreDumps
{
    // linux/prctl.h
    private const int PR_SET_DUMPABLE = 4;

    /// <summary>
    /// Tells the kernel to write no core dump of this process. The kernel also stops other processes of the same user from reading its
    /// memory (a debugger needs CAP_SYS_PTRACE). Throws <see cref="StartupException"/> if the kernel refuses.
    /// </summary>
    public static void Forbid()
    {
        // The command line uses key files too, and must also run on systems other than Linux, which lack this call.
        if (!OperatingSystem.IsLinux())
        {
            return;
        }
        if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
        {
            throw new StartupException($"Core dumps, which would contain secrets, cannot be disabled: {Marshal.GetLastPInvokeErrorMessage()}");
        }
    }

    [LibraryImport("libc", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int prctl(int option, nuint argument2, nuint argument3, nuint argument4, nuint argument5);
}
