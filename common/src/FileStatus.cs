using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Optiks;

/// <summary>
/// FileStatus is what tells a file, and a state of it, from others: two of one path are equal only if nobody wrote to the file, replaced it, or changed its mode or owner in between. A name alone
/// does not tell: links give a file several. Linux; elsewhere reading one throws <see cref="PlatformNotSupportedException"/>.
/// </summary>
/// <param name="Device">Device that the file is on: major and minor number.</param>
/// <param name="Inode">Number of the file on its device.</param>
/// <param name="Length">Octets.</param>
/// <param name="Written">When its contents last changed, in nanoseconds since 1970; whoever may write the file may set it.</param>
/// <param name="Changed">When its contents, mode, owner or name last changed, in nanoseconds since 1970.</param>
/// <param name="Mode">Permissions.</param>
/// <param name="Owner">User id.</param>
/// <param name="IsRegular">False for a folder, a device, a FIFO and a socket.</param>
/// <param name="Links">Number of names (hard links) that the file has.</param>
public readonly partial record struct FileStatus(
    ulong Device, ulong Inode, ulong Length, long Written, long Changed, UnixFileMode Mode, uint Owner, bool IsRegular, uint Links)
{
    // linux/fcntl.h and errno.h; of equal value on x86-64 and ARM64.
    private const int AT_FDCWD = -100;
    private const int AT_EMPTY_PATH = 0x1000;
    private const uint STATX_BASIC_STATS = 0x7FF;
    private const int ENOENT = 2;
    private const int ENOTDIR = 20;

    // linux/stat.h: statx has one layout on every architecture.
    private const int StatxLength = 256;

    /// <summary>TryRead reads the status of the file that a path leads to, through links; null when there is none. Throws <see cref="IOException"/>.</summary>
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

    /// <summary>Of an open file, whatever its name leads to by now. Throws <see cref="IOException"/>.</summary>
    public static FileStatus Of(SafeFileHandle handle)
    {
        ThrowUnlessLinux();
        Span<byte> result = stackalloc byte[StatxLength];
        return statx(handle, "", AT_EMPTY_PATH, STATX_BASIC_STATS, result) == 0
            ? Decode(result)
            : throw new IOException($"statx: {Marshal.GetLastPInvokeErrorMessage()}");
    }

    /// <summary>IsSameFile says whether both are of one file, in whatever state.</summary>
    public bool IsSameFile(FileStatus other) => Device == other.Device && Inode == other.Inode;

    /// <summary>DeviceOf makes a <see cref="Device"/> of its numbers.</summary>
    public static ulong DeviceOf(uint major, uint minor) => ((ulong)major << 32) | minor;

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
            DeviceOf(MemoryMarshal.Read<uint>(statx[DevMajor..]), MemoryMarshal.Read<uint>(statx[DevMinor..])),
            MemoryMarshal.Read<ulong>(statx[Ino..]),
            MemoryMarshal.Read<ulong>(statx[Size..]),
            Time(statx[Mtime..]),
            Time(statx[Ctime..]),
            (UnixFileMode)(mode & Permissions),
            MemoryMarshal.Read<uint>(statx[Uid..]),
            (mode & Type) == Regular,
            MemoryMarshal.Read<uint>(statx[Nlink..]));
    }

    // A time that was set beyond the year 2262 wraps around, which tells it from others all the same.
    private static long Time(ReadOnlySpan<byte> timestamp) => unchecked((MemoryMarshal.Read<long>(timestamp) * 1_000_000_000) + MemoryMarshal.Read<uint>(timestamp[sizeof(long)..]));

    private static void ThrowUnlessLinux()
    {
        if (!OperatingSystem.IsLinux())
        {
            throw new PlatformNotSupportedException("The status of files is read on Linux only.");
        }
    }

    [LibraryImport("libc", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int statx(int folder, string path, int flags, uint mask, Span<byte> result);

    [LibraryImport("libc", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int statx(SafeFileHandle handle, string path, int flags, uint mask, Span<byte> result);
}
