using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Optiks;

/// <summary>
/// Identifies a file and its state. Two statuses of the same path are equal only if nobody wrote to the file, replaced it, or changed its
/// mode or owner between the two readings. A name alone does not identify a file, because links give it several names. On systems other
/// than Linux, reading a status throws <see cref="PlatformNotSupportedException"/>.
/// </summary>
/// <param name="Device">The device that the file is on: major and minor number.</param>
/// <param name="Inode">The number of the file on its device.</param>
/// <param name="Length">The length in bytes.</param>
/// <param name="Written">The time when the file's contents last changed, in nanoseconds since 1970; anyone who may write the file may set
/// it.</param>
/// <param name="Changed">The time when the file's contents, mode, owner or name last changed, in nanoseconds since 1970.</param>
/// <param name="Mode">The file's permissions.</param>
/// <param name="Owner">The owner's user id.</param>
/// <param name="IsRegular">Whether the file is a regular file, not a folder, device, FIFO or socket.</param>
/// <param name="Links">The number of names (hard links) of the file.</param>
public readonly partial record struct FileStatus(
    ulong Device, ulong Inode, ulong Length, long Written, long Changed, UnixFileMode Mode, uint Owner, bool IsRegular, uint Links)
{
    // These values are from linux/fcntl.h and errno.h. They are the same on x86-64 and ARM64.
    private const int AT_FDCWD = -100;
    private const int AT_EMPTY_PATH = 0x1000;
    private const uint STATX_BASIC_STATS = 0x7FF;
    private const int ENOENT = 2;
    private const int ENOTDIR = 20;

    // The length of struct statx (linux/stat.h), whose layout is the same on every architecture.
    private const int StatxLength = 256;

    /// <summary>
    /// Reads the status of the file at a path, following symbolic links. Returns null if there is no file. Throws <see cref="IOException"/>
    /// if the status cannot be read.
    /// </summary>
    public static FileStatus? TryRead(string path)
    {
        ThrowUnlessLinux();
        Span<byte> result = stackalloc byte[StatxLength];
        if (statx(AT_FDCWD, path, 0, STATX_BASIC_STATS, result) == 0)
        {
            return Decode(result);
        }
        int error = Marshal.GetLastPInvokeError();
        return error is ENOENT or ENOTDIR ? null : throw new IOException($"{path}: {Marshal.GetPInvokeErrorMessage(error)}");
    }

    /// <summary>Reads the status of an open file, even if its name now belongs to another file. Throws <see cref="IOException"/> if the
    /// status cannot be read.</summary>
    public static FileStatus Read(SafeFileHandle handle)
    {
        ThrowUnlessLinux();
        Span<byte> result = stackalloc byte[StatxLength];
        return statx(handle, "", AT_EMPTY_PATH, STATX_BASIC_STATS, result) == 0
            ? Decode(result)
            : throw new IOException($"statx: {Marshal.GetLastPInvokeErrorMessage()}");
    }

    /// <summary>Returns whether both statuses belong to the same file, even if the file has changed between the two readings.</summary>
    public bool IsSameFile(FileStatus other) => Device == other.Device && Inode == other.Inode;

    /// <summary>Combines a major and a minor device number into a value of <see cref="Device"/>.</summary>
    public static ulong MakeDevice(uint major, uint minor) => ((ulong)major << 32) | minor;

    private static FileStatus Decode(ReadOnlySpan<byte> statx)
    {
        const int Nlink = 16;
        const int Uid = 20;
        const int ModeAt = 28;
        const int Ino = 32;
        const int Size = 40;
        const int Ctime = 96;
        const int Mtime = 112;
        const int DevMajor = 136;
        const int DevMinor = 140;
        const int Permissions = 0xFFF;
        const int Type = 0xF000;
        const int Regular = 0x8000;
        ushort mode = MemoryMarshal.Read<ushort>(statx[ModeAt..]);
        return new FileStatus(
            MakeDevice(MemoryMarshal.Read<uint>(statx[DevMajor..]), MemoryMarshal.Read<uint>(statx[DevMinor..])),
            MemoryMarshal.Read<ulong>(statx[Ino..]),
            MemoryMarshal.Read<ulong>(statx[Size..]),
            Time(statx[Mtime..]),
            Time(statx[Ctime..]),
            (UnixFileMode)(mode & Permissions),
            MemoryMarshal.Read<uint>(statx[Uid..]),
            (mode & Type) == Regular,
            MemoryMarshal.Read<uint>(statx[Nlink..]));
    }

    // A time after the year 2262 overflows and wraps around. That does no harm, because times are only compared for equality.
    private static long Time(ReadOnlySpan<byte> timestamp) =>
        unchecked((MemoryMarshal.Read<long>(timestamp) * 1_000_000_000) + MemoryMarshal.Read<uint>(timestamp[sizeof(long)..]));

    private static void ThrowUnlessLinux()
    {
        if (!OperatingSystem.IsLinux())
        {
            throw new PlatformNotSupportedException("The status of files can be read on Linux only.");
        }
    }

    [LibraryImport("libc", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int statx(int folder, string path, int flags, uint mask, Span<byte> result);

    [LibraryImport("libc", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int statx(SafeFileHandle handle, string path, int flags, uint mask, Span<byte> result);
}
