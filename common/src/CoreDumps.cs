using System.Runtime.InteropServices;

namespace Optiks;

/// <summary>CoreDumps keeps secrets out of files that nobody thinks of.</summary>
public static partial class CoreDumps
{
    // linux/prctl.h
    private const int PR_SET_DUMPABLE = 4;

    /// <summary>
    /// Forbid has the kernel write no core dump of this process, and lets no other process of the same user read its memory (a debugger needs CAP_SYS_PTRACE). Throws
    /// <see cref="StartupException"/> when it cannot.
    /// </summary>
    public static void Forbid()
    {
        // The command line and its key files are for other systems too.
        if (!OperatingSystem.IsLinux())
        {
            return;
        }
        if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
        {
            throw new StartupException($"Core dumps, which would hold secrets, cannot be forbidden: {Marshal.GetLastPInvokeErrorMessage()}");
        }
    }

    [LibraryImport("libc", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int prctl(int option, nuint argument2, nuint argument3, nuint argument4, nuint argument5);
}
