using System.Runtime.InteropServices;
using System.Text;
using Microsoft.Win32.SafeHandles;

namespace Optiks.Tlog;

/// <summary>
/// Calls functions that .NET does not offer. They sync a folder, lock a file with a lock that no setting can switch off, resolve links as
/// the kernel does, and write at an open file's own offset. On systems other than Linux, all methods throw.
/// </summary>
internal static partial class Libc
{
    // These values are from fcntl.h and sys/file.h of Linux. They are the same on x86-64 and ARM64.
    private const int O_RDONLY = 0;
    private const int O_RDWR = 2;
    private const int O_CREAT = 0x40;
    private const int O_CLOEXEC = 0x80000;
    private const int LOCK_EX = 2;
    private const int LOCK_NB = 4;
    private const int ENOENT = 2;
    private const int EINTR = 4;
    private const int EWOULDBLOCK = 11;
    private const int ENOTDIR = 20;
    private const int EINVAL = 22;
    private const int MaxPathLength = 4096;
    private const uint LockFileMode = 0x1a4; // rw-r--r--

    /// <summary>Makes the names of the files in a folder durable.</summary>
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
    /// Opens a file, creating it if necessary, with an exclusive lock that ends when the handle is closed. Returns null if another handle
    /// holds the lock.
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

    /// <summary>
    /// Returns the path of a file or folder after resolving all symbolic links. Throws <see cref="DirectoryNotFoundException"/> if the file
    /// or folder is missing, and <see cref="IOException"/> if the path cannot be resolved.
    /// </summary>
    public static string RealPath(string path)
    {
        Span<byte> resolved = stackalloc byte[MaxPathLength];
        if (realpath(path, resolved) != 0)
        {
            return Encoding.UTF8.GetString(resolved[..resolved.IndexOf((byte)0)]);
        }
        int error = Marshal.GetLastPInvokeError();
        throw error is ENOENT or ENOTDIR
            ? new DirectoryNotFoundException($"The folder {path} does not exist.")
            : Failure("realpath", path, error);
    }

    /// <summary>Returns the target of a symbolic link; null if the path is not a link, or is missing.</summary>
    public static string? ReadLink(string path)
    {
        Span<byte> target = stackalloc byte[MaxPathLength];
        nint length = readlink(path, target, target.Length);
        if (length >= 0)
        {
            return Encoding.UTF8.GetString(target[..(int)length]);
        }
        int error = Marshal.GetLastPInvokeError();
        return error is EINVAL or ENOENT ? null : throw Failure("readlink", path, error);
    }

    /// <summary>Writes all bytes at the current offset of an open file. Processes that inherited the file share the offset.</summary>
    public static void Write(SafeFileHandle file, ReadOnlySpan<byte> contents, string path)
    {
        while (!contents.IsEmpty)
        {
            nint written = write(file, contents, contents.Length);
            int error = Marshal.GetLastPInvokeError();
            if (written < 0 && error != EINTR)
            {
                throw Failure("write", path, error);
            }
            contents = contents[(int)Math.Max(written, 0)..];
        }
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

    [LibraryImport("libc", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial nint realpath(string path, Span<byte> resolved);

    [LibraryImport("libc", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial nint readlink(string path, Span<byte> target, nint capacity);

    [LibraryImport("libc", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial nint write(SafeFileHandle file, ReadOnlySpan<byte> contents, nint length);

    [LibraryImport("libc", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int fsync(SafeFileHandle file);

    [LibraryImport("libc", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int flock(SafeFileHandle file, int operation);
}
