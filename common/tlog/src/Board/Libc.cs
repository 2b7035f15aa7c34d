using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Optiks.Tlog;

/// <summary>
/// Libc reaches what .NET does not offer: fsync of a folder, and a file lock that cannot be switched off. Linux; others throw.
/// </summary>
internal static partial class Libc
{
    // fcntl.h and sys/file.h of Linux; of equal value on x86-64 and ARM64.
    private const int O_RDONLY = 0;
    private const int O_RDWR = 2;
    private const int O_CREAT = 0x40;
    private const int O_CLOEXEC = 0x80000;
    private const int LOCK_EX = 2;
    private const int LOCK_NB = 4;
    private const int EINTR = 4;
    private const int EWOULDBLOCK = 11;
    private const uint LockFileMode = 0x1a4; // rw-r--r--

    /// <summary>SyncDirectory makes the names in a folder durable.</summary>
    public static void SyncDirectory(string path)
    {
        using SafeFileHandle folder = Open(path, O_RDONLY);
        while (fsync(folder) != 0)
        {
            int error = Marshal.GetLastPInvokeError();
            if (error != EINTR)
            {
                throw Failure("fsync", path, error);
            }
        }
    }

    /// <summary>
    /// TryLock opens a file, made if need be, with an exclusive lock that ends when the handle is closed; null when another holds it.
    /// </summary>
    public static SafeFileHandle? TryLock(string path)
    {
        SafeFileHandle file = Open(path, O_RDWR | O_CREAT);
        if (flock(file, LOCK_EX | LOCK_NB) == 0)
        {
            return file;
        }
        int error = Marshal.GetLastPInvokeError();
        file.Dispose();
        return error == EWOULDBLOCK ? null : throw Failure("flock", path, error);
    }

    private static SafeFileHandle Open(string path, int flags)
    {
        if (!OperatingSystem.IsLinux())
        {
            throw new PlatformNotSupportedException("A bulletin board is written on Linux only.");
        }
        int descriptor = open(path, flags | O_CLOEXEC, LockFileMode);
        return descriptor >= 0
            ? new SafeFileHandle(descriptor, ownsHandle: true)
            : throw Failure("open", path, Marshal.GetLastPInvokeError());
    }

    private static IOException Failure(string call, string path, int error) =>
        new($"{call} {path}: {Marshal.GetPInvokeErrorMessage(error)}", error);

    [LibraryImport("libc", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int open(string path, int flags, uint mode);

    [LibraryImport("libc", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int fsync(SafeFileHandle file);

    [LibraryImport("libc", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int flock(SafeFileHandle file, int operation);
}
