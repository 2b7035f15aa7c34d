namespace Optiks.QueryService.Following;

/// <summary>A file of the board, on this machine's disk or in memory.</summary>
/// <param name="Length">The length of the file in bytes.</param>
/// <param name="Path">The path of the file on the disk; null if the file is in memory.</param>
/// <param name="Octets">The contents of the file; empty if the file is on the disk.</param>
internal sealed record BoardFile(long Length, string? Path, ReadOnlyMemory<byte> Octets)
{
    /// <summary>Describes a file on the disk.</summary>
    public static BoardFile OnDisk(FileInfo file) => new(file.Length, file.FullName, default);

    /// <summary>Describes a file in memory.</summary>
    public static BoardFile InMemory(ReadOnlyMemory<byte> octets) => new(octets.Length, null, octets);
}
