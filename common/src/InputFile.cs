namespace Optiks;

/// <summary>InputFile reads small files that a user names. Such a name may lead to a device or a pipe, which has no length and no end.</summary>
public static class InputFile
{
    private const int BufferLength = 64 * 1024;

    /// <summary>Reads a whole file. Throws <see cref="IOException"/> for one that is longer than <paramref name="max"/> bytes, or <see cref="UnauthorizedAccessException"/>.</summary>
    public static byte[] Read(string path, int max)
    {
        using var stream = new FileStream(path, new FileStreamOptions { Share = FileShare.ReadWrite | FileShare.Delete, BufferSize = 0 });
        return ReadAll(stream, path, max);
    }

    /// <summary>Reads a stream to its end. Throws <see cref="IOException"/> for one that is longer than <paramref name="max"/> bytes.</summary>
    /// <param name="stream">What is read; it stays open.</param>
    /// <param name="name">Its name in messages.</param>
    /// <param name="max">Most bytes that are taken.</param>
    public static byte[] ReadAll(Stream stream, string name, int max)
    {
        ArgumentNullException.ThrowIfNull(stream);
        return TryReadAll(stream, max) ?? throw new IOException($"{name} has more than {max} bytes, too many for a file of this kind.");
    }

    /// <summary>Reads a stream to its end; null when it is longer than <paramref name="max"/> bytes. Its length is not relied on: files of /proc say 0, and others grow meanwhile.</summary>
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
