using System.Text;
using Optiks.Tlog;

namespace Optiks.Witness.Tests.Support;

/// <summary>
/// A witness's folder with the key and the logs of the test vectors. <c>Dispose</c> removes the folder with all its contents.
/// </summary>
internal sealed class TestFolder : IDisposable
{
    private readonly string _root = Directory.CreateTempSubdirectory("optiks-witness-").FullName;

    public TestFolder()
    {
        Place = new WitnessFolder(Path.Combine(_root, "w"));
        DataFolder.CreateFolder(Place.Root);
        AtomicFile.Write(Place.Key, Encoding.UTF8.GetBytes(Vectors.WitnessKey + "\n"), AtomicFile.PrivateMode);
        WriteLogs(string.Concat(Vectors.Logs.Select(log => $"log {log}\n")) + "quorum none\n");
    }

    public WitnessFolder Place { get; }

    public string StateOf(VerifierKey log) => Path.Combine(Place.State, WitnessFolder.GetName(log.Name));

    public void WriteLogs(string text) => File.WriteAllText(Place.Logs, text);

    public void Dispose() => Directory.Delete(_root, recursive: true);
}
