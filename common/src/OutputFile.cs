using Optiks.Tlog;

namespace Optiks;

/// <summary>OutputFile writes what a command was asked to put somewhere: into a device, a FIFO or an open file such as <c>/dev/stdout</c> as it stands, and everything else as <see cref="AtomicFile"/> does.</summary>
public static class OutputFile
{
    /// <summary>Write replaces or creates a file, or writes into what is no regular file. Throws <see cref="IOException"/> or <see cref="UnauthorizedAccessException"/>.</summary>
    public static void Write(string path, ReadOnlySpan<byte> contents, UnixFileMode mode)
    {
        if (!TryWriteInto(path, contents))
        {
            AtomicFile.Write(path, contents, mode);
        }
    }

    /// <summary>TryCreate is the same, and false for a regular file or a folder that exists.</summary>
    public static bool TryCreate(string path, ReadOnlySpan<byte> contents, UnixFileMode mode) => TryWriteInto(path, contents) || AtomicFile.TryCreate(path, contents, mode);

    /// <summary>IsTaken says whether <see cref="TryCreate"/> would refuse the path.</summary>
    public static bool IsTaken(string path) =>
        Directory.Exists(Path.GetDirectoryName(Path.GetFullPath(path))) && !IsStream(path, out FileTarget target) && Path.Exists(target.Path);

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
        // A FIFO is opened once somebody reads it.
        using var stream = new FileStream(target.Path, new FileStreamOptions { Mode = FileMode.Open, Access = FileAccess.Write, Share = FileShare.ReadWrite, BufferSize = 0 });
        stream.Write(contents);
        return true;
    }

    private static bool IsStream(string path, out FileTarget target)
    {
        target = FileTarget.Resolve(path);
        return target.Descriptor is not null || (OperatingSystem.IsLinux() && !Directory.Exists(target.Path) && FileStatus.TryRead(target.Path) is { IsRegular: false });
    }
}
