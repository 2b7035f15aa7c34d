namespace Optiks.Client;

/// <summary>Writes folders of evidence, such as the evidence of a fork.</summary>
internal static class EvidenceFolder
{
    /// <summary>Creates a new folder with these files below the parent folder, and returns the path of the new folder.</summary>
    public static string Write(string parent, string name, IReadOnlyDictionary<string, ReadOnlyMemory<byte>> files)
    {
        string folder = Path.Combine(parent, name);
        for (int i = 2; Directory.Exists(folder); i++)
        {
            folder = Path.Combine(parent, $"{name}-{i}");
        }
        DataFolder.CreateFolder(folder);
        foreach ((string file, ReadOnlyMemory<byte> contents) in files)
        {
            AtomicFile.Write(Path.Combine(folder, file), contents.Span, AtomicFile.PrivateMode);
        }
        return folder;
    }
}
