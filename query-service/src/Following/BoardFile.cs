namespace Optiks.QueryService.Following;

/// <summary>A file of the board: on this machine's disk, or in memory.</summary>
/// <param name="Length">Octets.</param>
/// <param name="Path">Where it is on the disk; null: <paramref name="Octets"/> are the file.</param>
/// <param name="Octets">Contents, unless there is a path.</param>
internal sealed record BoardFile(long Length, string? Path, ReadOnlyMemory<byte> Octets)
{
    /// <summary>A file at a path.</summary>
    public static BoardFile OnDisk(FileInfo file) => new(file.Length, file.FullName, default);

    /// <summary>A file of these octets.</summary>
    public static BoardFile InMemory(ReadOnlyMemory<byte> octets) => new(octets.Length, null, octets);
}
