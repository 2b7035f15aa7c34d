using System.Security.Cryptography;
using Optiks.Tlog;

namespace Optiks;

/// <summary>AtomicFile writes small files so that a reader or a crash sees the old contents or the new ones, never a part, and never with other permissions.</summary>
public static class AtomicFile
{
    /// <summary>PrivateMode: only the owner may read and write.</summary>
    public const UnixFileMode PrivateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    /// <summary>PublicMode: others may read.</summary>
    public const UnixFileMode PublicMode = PrivateMode | UnixFileMode.GroupRead | UnixFileMode.OtherRead;

    /// <summary>
    /// Write replaces or creates a file with these contents and permissions; it and its name are on disk when the call returns. Replaces the target of a symbolic link, not the link. Throws
    /// <see cref="IOException"/> for what is no regular file.
    /// </summary>
    public static void Write(string path, ReadOnlySpan<byte> contents, UnixFileMode mode) => Write(path, contents, mode, overwrite: true);

    /// <summary>TryCreate is the same for a file that must not exist yet: false when it does.</summary>
    public static bool TryCreate(string path, ReadOnlySpan<byte> contents, UnixFileMode mode)
    {
        // Of the target: for a link to nothing File.Exists says yes.
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
            var options = new FileStreamOptions { Mode = FileMode.CreateNew, Access = FileAccess.Write, UnixCreateMode = mode, BufferSize = 0 };
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
