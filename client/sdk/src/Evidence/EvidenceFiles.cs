using System.Diagnostics.CodeAnalysis;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>Reads a folder that anyone may have made, and refuses each file that is longer than a valid file of its kind can be.</summary>
internal sealed class EvidenceFiles
{
    public EvidenceFiles(string folder)
    {
        Folder = folder;
    }

    public string Folder { get; }

    /// <summary>
    /// Reads a file of at most <paramref name="maxLength"/> octets; null if it does not exist. Throws <see cref="InvalidDataException"/>
    /// for a longer file and for anything but a regular file.
    /// </summary>
    public byte[]? Find(string name, long maxLength) => RegularFile.Find(Path.Combine(Folder, name), maxLength);

    /// <summary>
    /// Reads a file as <see cref="Find"/> does, and tells whether the file exists. Callers use this method for files whose presence decides
    /// the kind of evidence.
    /// </summary>
    public bool TryFind(string name, long maxLength, [NotNullWhen(true)] out byte[]? octets) =>
        (octets = Find(name, maxLength)) is not null;

    /// <summary>Reads a file that must exist. Throws <see cref="InvalidDataException"/> if the file does not exist.</summary>
    public byte[] Require(string name, long maxLength) => Find(name, maxLength) ?? throw new InvalidDataException($"{name} is missing.");

    /// <summary>
    /// Reads a file that holds one epoch record. Throws <see cref="InvalidDataException"/> if the file has another length than a record.
    /// </summary>
    public byte[] RequireRecord(string name) => Require(name, EpochRecord.Length) is { Length: EpochRecord.Length } record
        ? record
        : throw new InvalidDataException($"{name} is no record: one has {EpochRecord.Length} octets.");

    /// <summary>Returns the names of the files with this ending, at most 64 of them.</summary>
    public IReadOnlyList<string> Ending(string ending) =>
        [.. Directory.EnumerateFiles(Folder, $"*{ending}").Take(64).Select(path => Path.GetFileName(path)!).Order(StringComparer.Ordinal)];
}
