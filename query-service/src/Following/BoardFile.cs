namespace Optiks.QueryService.Following;

/// <summary>A file of the board, on this machine's disk or in memory.</summary>
/// <param name="Length">The length in bytes.</param>
/// <param name="Path">The path on the disk; null when <paramref name="Octets"/> is the file.</param>
/// <param name="Octets">The contents, unless there is a path.</param>
internal sealed record BoardFile(long Length, string? Path, ReadOnlyMemory<byte> Octets)
{
    /// <summary>Creates a file on the disk.</summary>
    public static BoardFile OnDisk(FileInfo file) => new(file.Length, file.FullName, default);

    /// <summary>Creates a file in memory.</summary>
    public static BoardFile InMemory(ReadOnlyMemory<byte> octets) => new(octets.Length, null, octets);
}
