using System.Diagnostics.CodeAnalysis;

namespace Optiks.Client;

/// <summary>EvidenceFiles reads a folder that anyone may have made: no file is longer than its kind can be.</summary>
internal sealed class EvidenceFiles
{
    public EvidenceFiles(string folder)
    {
        Folder = folder;
    }

    public string Folder { get; }

    /// <summary>Find reads a file of at most this many octets; null: it is not there. Throws <see cref="InvalidDataException"/> for one that is longer.</summary>
    public byte[]? Find(string name, long maxLength)
    {
        FileStream file;
        try
        {
            file = new FileStream(Path.Combine(Folder, name), FileMode.Open, FileAccess.Read, FileShare.Read);
        }
        catch (Exception e) when (e is FileNotFoundException or DirectoryNotFoundException)
        {
            return null;
        }
        using (file)
        {
            if (file.Length > maxLength)
            {
                throw new InvalidDataException($"{name} is longer than {maxLength} octets: it is no such file.");
            }
            byte[] octets = new byte[file.Length];
            file.ReadExactly(octets);
            return octets;
        }
    }

    /// <summary>TryFind does so of a file that decides which kind it is.</summary>
    public bool TryFind(string name, long maxLength, [NotNullWhen(true)] out byte[]? octets) => (octets = Find(name, maxLength)) is not null;

    /// <summary>Require reads a file that must be there. Throws <see cref="InvalidDataException"/>.</summary>
    public byte[] Require(string name, long maxLength) => Find(name, maxLength) ?? throw new InvalidDataException($"{name} is missing.");

    /// <summary>Names of the files with this ending, at most 64 of them.</summary>
    public IReadOnlyList<string> Ending(string ending) => [.. Directory.EnumerateFiles(Folder, $"*{ending}").Take(64).Select(path => Path.GetFileName(path)!).Order(StringComparer.Ordinal)];
}
