namespace Optiks;

/// <summary>
/// Reads files that an untrusted user may have made. Refuses pipes and devices, because they have no end, and files that are longer than a
/// valid file of the same kind.
/// </summary>
public static class RegularFile
{
    /// <summary>
    /// Reads a whole file; returns null if it does not exist. Throws <see cref="InvalidDataException"/> if the file is longer than
    /// <paramref name="maxLength"/> bytes or is not a regular file, and <see cref="IOException"/> if it cannot be read.
    /// </summary>
    /// <param name="path">The path of the file.</param>
    /// <param name="maxLength">The highest number of bytes to read.</param>
    public static byte[]? Find(string path, long maxLength)
    {
        // Opening a pipe for reading would wait until another process opens it for writing.
        if (OperatingSystem.IsLinux() && FileStatus.TryRead(path) is { IsRegular: false })
        {
            throw new InvalidDataException($"{Path.GetFileName(path)} is not a regular file.");
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
            return InputFile.TryReadAll(file, maxLength)
                ?? throw new InvalidDataException(
                    $"{Path.GetFileName(path)} is longer than {maxLength} bytes, too long for a file of this kind.");
        }
    }
}
