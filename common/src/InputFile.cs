namespace Optiks;

/// <summary>Reads small files that the user of a program names. The methods limit the number of bytes, because the name may belong to a
/// device or a pipe, which has no length and no end.</summary>
public static class InputFile
{
    private const int BufferLength = 64 * 1024;

    /// <summary>
    /// Reads a whole file. Throws <see cref="IOException"/> if the file cannot be read or is longer than <paramref name="max"/> bytes, and
    /// <see cref="UnauthorizedAccessException"/> if the process's user may not read the file.
    /// </summary>
    public static byte[] Read(string path, int max)
    {
        using var stream = new FileStream(path, new FileStreamOptions { Share = FileShare.ReadWrite | FileShare.Delete, BufferSize = 0 });
        return ReadAll(stream, path, max);
    }

    /// <summary>Reads a stream to its end. Throws <see cref="IOException"/> if the stream is longer than <paramref name="max"/>
    /// bytes.</summary>
    /// <param name="stream">The stream to read; it stays open.</param>
    /// <param name="name">The name that error messages use for the stream.</param>
    /// <param name="max">The highest number of bytes to read.</param>
    public static byte[] ReadAll(Stream stream, string name, int max)
    {
        ArgumentNullException.ThrowIfNull(stream);
        return TryReadAll(stream, max) ?? throw new IOException($"{name} has more than {max} bytes, too many for a file of this kind.");
    }

    /// <summary>
    /// Reads a stream to its end; returns null if the stream is longer than <paramref name="max"/> bytes. Does not use the stream's length,
    /// because files in /proc report the length 0, and other files may grow.
    /// </summary>
    internal static byte[]? TryReadAll(Stream stream, long max)
    {
        using var octets = new MemoryStream();
        byte[] buffer = new byte[BufferLength];
        for (int read; (read = stream.Read(buffer)) > 0;)
        {
            if (octets.Length + read > max)
            {
                return null;
            }
            octets.Write(buffer, 0, read);
        }
        return octets.ToArray();
    }
}
