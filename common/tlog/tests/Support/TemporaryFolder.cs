namespace Optiks.Tlog.Tests;

/// <summary>TemporaryFolder is removed with all that it holds.</summary>
internal sealed class TemporaryFolder : IDisposable
{
    public string Path { get; } = Directory.CreateTempSubdirectory("optiks-tlog-").FullName;

    /// <summary>Files below the folder, with '/' and sorted, without the lock.</summary>
    public IReadOnlyList<string> Files() =>
    [
        .. Directory.EnumerateFiles(Path, "*", SearchOption.AllDirectories)
            .Select(file => System.IO.Path.GetRelativePath(Path, file))
            .Where(file => file != ".lock")
            .Order(StringComparer.Ordinal),
    ];

    public void Dispose() => Directory.Delete(Path, recursive: true);
}
