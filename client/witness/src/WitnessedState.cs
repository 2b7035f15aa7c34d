using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Text;
using Optiks.Tlog;

namespace Optiks.Witness;

/// <summary>
/// The state that a witness stores of a log: the last checkpoint that it cosigned, or was about to, and the time in its cosignature.
/// Signing is deterministic, so the cosignature can be computed again, octet for octet.
/// </summary>
/// <remarks>
/// A line <c>optiks witness 1</c>, a line <c>time</c> with the seconds in decimal, an empty line, the note with the log's signature.
/// </remarks>
/// <param name="Time">Seconds since 1970 in UTC.</param>
/// <param name="Note">The checkpoint with the log's signature alone.</param>
/// <param name="Checkpoint">The same, read.</param>
internal sealed record WitnessedState(ulong Time, SignedNote Note, Checkpoint Checkpoint)
{
    private const string Header = "optiks witness 1\ntime ";

    /// <summary>Returns the file's contents.</summary>
    public byte[] Encode() => [.. Encoding.ASCII.GetBytes(string.Create(CultureInfo.InvariantCulture, $"{Header}{Time}\n\n")), .. Note.Encode()];

    /// <summary>Parses a file's contents. The caller verifies whether the log made the signature.</summary>
    public static bool TryDecode(ReadOnlySpan<byte> octets, [NotNullWhen(true)] out WitnessedState? state)
    {
        state = null;
        byte[] header = Encoding.ASCII.GetBytes(Header);
        int end = octets.IndexOf("\n\n"u8);
        if (end < header.Length || !octets.StartsWith(header)
            || !ulong.TryParse(octets[header.Length..end], NumberStyles.None, CultureInfo.InvariantCulture, out ulong time) || time > Cosignature.MaxTimestamp
            || !SignedNote.TryParse(octets[(end + 2)..], out SignedNote? note, out _) || !Checkpoint.TryParse(note.Text.Span, out Checkpoint? checkpoint, out _))
        {
            return false;
        }
        state = new WitnessedState(time, note, checkpoint);
        return state.Encode().AsSpan().SequenceEqual(octets);
    }
}
