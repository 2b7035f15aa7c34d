using System.Globalization;
using System.Text;

namespace Optiks;

/// <summary>
/// Holds the highest epoch that the update-task may have signed, with the hash of the epoch's record. The mark is in a file next to the
/// board, outside the database. If the database ends before the mark's epoch, or has another record for it, the database is an older copy.
/// Signing epochs from an older copy would give the log two histories.
/// </summary>
/// <remarks>The file has three lines of text: <c>optiks high-water 1</c>, the epoch in decimal, and the hash in 64 lower-case hexadecimal
/// digits.</remarks>
/// <param name="Epoch">The number of the epoch.</param>
/// <param name="RecordHash">The hash of the epoch's record, 32 bytes.</param>
public sealed record HighWaterMark(ulong Epoch, ReadOnlyMemory<byte> RecordHash)
{
    private const string Header = "optiks high-water 1";
    private const int HashLength = 32;

    /// <summary>Returns the path of the mark's file in a data folder.</summary>
    public static string PathIn(DataFolder folder)
    {
        ArgumentNullException.ThrowIfNull(folder);
        return Path.Combine(folder.Board, "state", "high-water");
    }

    /// <summary>
    /// Reads the mark from its file; returns null if the file does not exist. Throws <see cref="InvalidDataException"/> if the file's
    /// format is wrong.
    /// </summary>
    public static HighWaterMark? Read(string path)
    {
        byte[] octets;
        try
        {
            octets = File.ReadAllBytes(path);
        }
        catch (Exception e) when (e is FileNotFoundException or DirectoryNotFoundException)
        {
            return null;
        }
        return Parse(octets, path);
    }

    /// <summary>
    /// Parses the contents of the mark's file. Throws <see cref="InvalidDataException"/>, which names <paramref name="path"/>, if the
    /// format is wrong.
    /// </summary>
    public static HighWaterMark Parse(ReadOnlySpan<byte> octets, string path)
    {
        string[] lines = Encoding.UTF8.GetString(octets).Split('\n');
        if (lines.Length == 4 && lines[0] == Header && lines[3].Length == 0
            && ulong.TryParse(lines[1], NumberStyles.None, CultureInfo.InvariantCulture, out ulong epoch)
            && lines[2].Length == 2 * HashLength && lines[2].All(char.IsAsciiHexDigitLower))
        {
            return new HighWaterMark(epoch, Convert.FromHexString(lines[2]));
        }
        throw new InvalidDataException($"{path} is not a high-water mark: restore it from a backup.");
    }

    /// <summary>Returns the contents of the mark's file.</summary>
    public byte[] Encode() =>
        Encoding.ASCII.GetBytes(
            string.Create(CultureInfo.InvariantCulture, $"{Header}\n{Epoch}\n{Convert.ToHexStringLower(RecordHash.Span)}\n"));

    /// <summary>Returns whether the mark has this epoch and this record hash.</summary>
    public bool Names(ulong epoch, ReadOnlySpan<byte> recordHash) => Epoch == epoch && RecordHash.Span.SequenceEqual(recordHash);
}
