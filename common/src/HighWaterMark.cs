using System.Globalization;
using System.Text;

namespace Optiks;

/// <summary>
/// HighWaterMark is the highest epoch that was ever about to be signed, with its record's hash. It lies beside the board, apart from the database:
/// a database that is below it, or has another record there, is an older copy, and signing on from it would give the log two histories.
/// </summary>
/// <remarks>Three lines of text: <c>optiks high-water 1</c>, the epoch in decimal, the hash in 64 lower-case hexadecimal digits.</remarks>
/// <param name="Epoch">Number of the epoch.</param>
/// <param name="RecordHash">Hash of its record, 32 octets.</param>
public sealed record HighWaterMark(ulong Epoch, ReadOnlyMemory<byte> RecordHash)
{
    private const string Header = "optiks high-water 1";
    private const int HashLength = 32;

    /// <summary>PathIn names the file of a data folder.</summary>
    public static string PathIn(DataFolder folder)
    {
        ArgumentNullException.ThrowIfNull(folder);
        return Path.Combine(folder.Board, "state", "high-water");
    }

    /// <summary>Read reads the file; null when there is none. Throws <see cref="InvalidDataException"/> for anything but its format.</summary>
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

    /// <summary>Parse reads the file's contents. Throws <see cref="InvalidDataException"/>, which names <paramref name="path"/>, for anything but its format.</summary>
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

    /// <summary>Encode gives the file's contents.</summary>
    public byte[] Encode() =>
        Encoding.ASCII.GetBytes(string.Create(CultureInfo.InvariantCulture, $"{Header}\n{Epoch}\n{Convert.ToHexStringLower(RecordHash.Span)}\n"));

    /// <summary>Names says whether this is the mark of an epoch with this record hash.</summary>
    public bool Names(ulong epoch, ReadOnlySpan<byte> recordHash) => Epoch == epoch && RecordHash.Span.SequenceEqual(recordHash);
}
