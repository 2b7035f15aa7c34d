namespace Optiks.Client;

/// <summary>Stores the octets of a journal. Only one thread at a time may use it.</summary>
internal interface IJournalFile : IDisposable
{
    /// <summary>The path of the file, for messages.</summary>
    string Path { get; }

    /// <summary>The number of octets in the file; null if there is no file yet.</summary>
    long? Length { get; }

    /// <summary>Reads exactly as many octets as the span has. Throws <see cref="IOException"/> if the file has fewer of them.</summary>
    void Read(long offset, Span<byte> into);

    /// <summary>
    /// Appends octets, which are on disk when the call returns. If the call throws, the file may end in any number of them.
    /// </summary>
    void Append(ReadOnlySpan<byte> octets);

    /// <summary>Shortens the file to this length, which is on disk when the call returns.</summary>
    void Cut(long length);

    /// <summary>
    /// Creates the file or replaces its contents by these parts in one step. If the call throws, the file has its former contents; if the
    /// file system cannot tell, every later <see cref="Append"/> throws.
    /// </summary>
    void Replace(IEnumerable<ReadOnlyMemory<byte>> parts);
}
