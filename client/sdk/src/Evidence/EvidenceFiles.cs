using System.Diagnostics.CodeAnalysis;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>EvidenceFiles reads a folder that anyone may have made: no file is longer than its kind can be.</summary>
internal sealed class EvidenceFiles
{
    public EvidenceFiles(string folder)
    {
        Folder = folder;
    }

    public string Folder { get; }

    /// <summary>Find reads a file of at most this many octets; null: it is not there. Throws <see cref="InvalidDataException"/> for one that is longer, or is no regular file.</summary>
    public byte[]? Find(string name, long maxLength) => RegularFile.Find(Path.Combine(Folder, name), maxLength);

    /// <summary>TryFind does so of a file that decides which kind it is.</summary>
    public bool TryFind(string name, long maxLength, [NotNullWhen(true)] out byte[]? octets) => (octets = Find(name, maxLength)) is not null;

    /// <summary>Require reads a file that must be there. Throws <see cref="InvalidDataException"/>.</summary>
    public byte[] Require(string name, long maxLength) => Find(name, maxLength) ?? throw new InvalidDataException($"{name} is missing.");

    /// <summary>RequireRecord reads a file of one epoch record. Throws <see cref="InvalidDataException"/> for another length.</summary>
    public byte[] RequireRecord(string name) => Require(name, EpochRecord.Length) is { Length: EpochRecord.Length } record
        ? record
        : throw new InvalidDataException($"{name} is no record: one has {EpochRecord.Length} octets.");

    /// <summary>Names of the files with this ending, at most 64 of them.</summary>
    public IReadOnlyList<string> Ending(string ending) => [.. Directory.EnumerateFiles(Folder, $"*{ending}").Take(64).Select(path => Path.GetFileName(path)!).Order(StringComparer.Ordinal)];
}
