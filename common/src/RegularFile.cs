namespace Optiks;

/// <summary>RegularFile reads files that anyone may have made: only regular ones, because a pipe or a device has no end, and no more octets than the kind of file may have.</summary>
public static class RegularFile
{
    /// <summary>Find reads a whole file; null when there is none. Throws <see cref="InvalidDataException"/> for what is no regular file or is longer, and <see cref="IOException"/>.</summary>
    /// <param name="path">Path of the file.</param>
    /// <param name="maxLength">Most octets that are read.</param>
    public static byte[]? Find(string path, long maxLength)
    {
        // To open a pipe for reading waits until somebody writes.
        if (OperatingSystem.IsLinux() && FileStatus.TryRead(path) is { IsRegular: false })
        {
            throw new InvalidDataException($"{Path.GetFileName(path)} is no regular file.");
        }
        FileStream file;
        try
        {
            file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.Read);
        }
        catch (Exception e) when (e is FileNotFoundException or DirectoryNotFoundException)
        {
            return null;
        }
        using (file)
        {
            return InputFile.TryReadAll(file, maxLength) ?? throw new InvalidDataException($"{Path.GetFileName(path)} is longer than {maxLength} octets: it is no such file.");
        }
    }
}
