using System.Security.Cryptography;
using Optiks.Tlog;

namespace Optiks;

/// <summary>
/// Writes small files atomically. A reader, or a program that starts after a crash, sees the old contents or the new contents, never a part
/// of them. The file never has other permissions than the given mode, not even while it is written.
/// </summary>
public static class AtomicFile
{
    /// <summary>The file mode 0600, with which only the owner may read and write.</summary>
    public const UnixFileMode PrivateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    /// <summary>The file mode 0644, with which other users may read too.</summary>
    public const UnixFileMode PublicMode = PrivateMode | UnixFileMode.GroupRead | UnixFileMode.OtherRead;

    /// <summary>
    /// Replaces or creates a file with these contents and permissions. The file and its name are on disk when the call returns. Follows a
    /// symbolic link and replaces its target, not the link. Throws <see cref="IOException"/> if the path is not a regular file.
    /// </summary>
    public static void Write(string path, ReadOnlySpan<byte> contents, UnixFileMode mode) => Write(path, contents, mode, overwrite: true);

    /// <summary>
    /// Creates a file as <see cref="Write(string, ReadOnlySpan{byte}, UnixFileMode)"/> does. Returns false if the file exists already.
    /// </summary>
    public static bool TryCreate(string path, ReadOnlySpan<byte> contents, UnixFileMode mode)
    {
        // Whether the file exists is tested at the resolved target, because `File.Exists` returns true for a symbolic link whose target is
        // missing.
        string full = FileTarget.Resolve(path).Path;
        if (File.Exists(full))
        {
            return false;
        }
        try
        {
            Write(full, contents, mode, overwrite: false);
            return true;
        }
        catch (IOException) when (File.Exists(full))
        {
            return false;
        }
    }

    private static void Write(string path, ReadOnlySpan<byte> contents, UnixFileMode mode, bool overwrite)
    {
        string full = FileTarget.Resolve(path).Path;
        if (OperatingSystem.IsLinux() && FileStatus.TryRead(full) is { IsRegular: false })
        {
            throw new IOException($"{full} is a folder, a device or a FIFO: it cannot be replaced by a file.");
        }
        string temporary = $"{full}.{RandomNumberGenerator.GetHexString(16, lowercase: true)}.tmp";
        try
        {
            var options = new FileStreamOptions
            {
                Mode = FileMode.CreateNew,
                Access = FileAccess.Write,
                UnixCreateMode = mode,
                BufferSize = 0,
            };
            using (var stream = new FileStream(temporary, options))
            {
                stream.Write(contents);
                stream.Flush(flushToDisk: true);
            }
            File.Move(temporary, full, overwrite);
            DurableFiles.SyncFolder(Path.GetDirectoryName(full)!);
        }
        finally
        {
            File.Delete(temporary);
        }
    }
}
