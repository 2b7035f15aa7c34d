using Optiks.Tlog;

namespace Optiks;

/// <summary>
/// Writes a command's output to a path that the user chose. If the path is a device, a FIFO or an open file such as <c>/dev/stdout</c>,
/// writes directly into it. Otherwise writes the file as <see cref="AtomicFile"/> does.
/// </summary>
public static class OutputFile
{
    /// <summary>
    /// Replaces or creates a file, or writes into a target that is not a regular file. Throws <see cref="IOException"/> or
    /// <see cref="UnauthorizedAccessException"/> if that fails.
    /// </summary>
    public static void Write(string path, ReadOnlySpan<byte> contents, UnixFileMode mode)
    {
        if (!TryWriteInto(path, contents))
        {
            AtomicFile.Write(path, contents, mode);
        }
    }

    /// <summary>Creates a file as <see cref="Write"/> does, but returns false and writes nothing if the path is an existing regular file or
    /// folder.</summary>
    public static bool TryCreate(string path, ReadOnlySpan<byte> contents, UnixFileMode mode) =>
        TryWriteInto(path, contents) || AtomicFile.TryCreate(path, contents, mode);

    /// <summary>Returns whether <see cref="TryCreate"/> would refuse the path.</summary>
    public static bool IsTaken(string path) =>
        Directory.Exists(Path.GetDirectoryName(Path.GetFullPath(path))) && !IsStream(path, out FileTarget target)
            && Path.Exists(target.Path);

    private static bool TryWriteInto(string path, ReadOnlySpan<byte> contents)
    {
        if (!IsStream(path, out FileTarget target))
        {
            return false;
        }
        if (target.Descriptor is not null)
        {
            target.WriteToDescriptor(contents);
            return true;
        }
        // If the target is a FIFO, opening it waits until another process opens it for reading.
        using var stream = new FileStream(target.Path,
            new FileStreamOptions { Mode = FileMode.Open, Access = FileAccess.Write, Share = FileShare.ReadWrite, BufferSize = 0 });
        stream.Write(contents);
        return true;
    }

    private static bool IsStream(string path, out FileTarget target)
    {
        target = FileTarget.Resolve(path);
        return target.Descriptor is not null
            || (OperatingSystem.IsLinux() && !Directory.Exists(target.Path) && FileStatus.TryRead(target.Path) is { IsRegular: false });
    }
}
