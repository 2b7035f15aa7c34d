namespace Optiks.Tlog.Tests;

/// <summary>Makes a temporary folder, which Dispose removes with all its contents.</summary>
internal sealed class TemporaryFolder : IDisposable
{
    public string Path { get; } = Directory.CreateTempSubdirectory("optiks-tlog-").FullName;

    /// <summary>Returns the sorted paths of the files below the folder, with '/' as the separator and without the lock's file.</summary>
    public IReadOnlyList<string> Files() =>
    [
        .. Directory.EnumerateFiles(Path, "*", SearchOption.AllDirectories)
            .Select(file => System.IO.Path.GetRelativePath(Path, file))
            .Where(file => file != ".lock")
            .Order(StringComparer.Ordinal),
    ];

    public void Dispose() => Directory.Delete(Path, recursive: true);
}
