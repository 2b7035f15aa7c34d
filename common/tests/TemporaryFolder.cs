namespace Optiks.Common.Tests;

/// <summary>Makes an empty folder for one test, which Dispose removes.</summary>
internal sealed class TemporaryFolder : IDisposable
{
    public TemporaryFolder()
    {
        Path = Directory.CreateTempSubdirectory("optiks-test-").FullName;
    }

    public string Path { get; }

    public DataFolder Data => new(Path);

    public string this[string name] => System.IO.Path.Combine(Path, name);

    public void Dispose() => Directory.Delete(Path, recursive: true);
}
