namespace Optiks.UpdateService.Tests.Support;

/// <summary>Makes an empty folder for one test.</summary>
internal sealed class TemporaryFolder : IDisposable
{
    public TemporaryFolder()
    {
        Path = Directory.CreateTempSubdirectory("optiks-update-test-").FullName;
    }

    public string Path { get; }

    public DataFolder Data => new(Path);

    public void Dispose() => Directory.Delete(Path, recursive: true);
}
