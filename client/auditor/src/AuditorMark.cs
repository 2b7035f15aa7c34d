using System.Globalization;
using System.Text;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Auditor;

/// <summary>
/// The newest checkpoint of a log that an auditor may have signed. The auditor writes the mark to disk before it signs, in another folder
/// than the state. If the state ends at an earlier epoch than the mark, the state is an older copy (docs/spec/auditing.md section 2).
/// </summary>
/// <remarks>
/// The file begins with three lines of text: <c>optiks auditor-mark 1</c>, the auditor's vkey, and the first epoch of the coverage. After
/// these lines comes the checkpoint, as the log signed it.
/// </remarks>
/// <param name="Auditor">The auditor's vkey.</param>
/// <param name="FirstEpoch">First epoch of the coverage.</param>
/// <param name="Size">Size of the checkpoint.</param>
/// <param name="Checkpoint">The checkpoint as a note with the log's signature.</param>
internal sealed record AuditorMark(string Auditor, ulong FirstEpoch, ulong Size, byte[] Checkpoint)
{
    private const string Header = "optiks auditor-mark 1";
    private const int Lines = 3;

    /// <summary>
    /// Reads the mark's file, and returns null if the file does not exist. Throws <see cref="InvalidDataException"/> if the file is not a
    /// mark of this log.
    /// </summary>
    public static AuditorMark? Read(string path, TrustAnchor anchor)
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
        return Parse(octets, path, anchor);
    }

    /// <summary>Returns the contents of the mark's file.</summary>
    public byte[] Encode() =>
        [.. Encoding.UTF8.GetBytes(string.Create(CultureInfo.InvariantCulture, $"{Header}\n{Auditor}\n{FirstEpoch}\n")), .. Checkpoint];

    private static AuditorMark Parse(byte[] octets, string path, TrustAnchor anchor)
    {
        string[] lines = Encoding.UTF8.GetString(octets).Split('\n', Lines + 1);
        if (lines.Length == Lines + 1 && lines[0] == Header
            && ulong.TryParse(lines[2], NumberStyles.None, CultureInfo.InvariantCulture, out ulong first))
        {
            byte[] note = Encoding.UTF8.GetBytes(lines[Lines]);
            if (LogVerifier.Checkpoint(anchor, note, out ulong size, out _) == Reason.Valid)
            {
                return new AuditorMark(lines[1], first, size, note);
            }
        }
        throw new InvalidDataException(
            $"{path} is not the mark of this log: restore it. Without it nothing tells whether the auditor's state is the newest copy.");
    }
}
