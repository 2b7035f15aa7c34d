using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Text;
using Optiks.Tlog;

namespace Optiks.Witness;

/// <summary>
/// The state that a witness stores of a log: the last checkpoint that the witness cosigned, or was about to cosign, and the time in that
/// cosignature. Signing is deterministic, so the witness can compute the same cosignature again, octet for octet.
/// </summary>
/// <remarks>
/// The file begins with the line <c>optiks witness 1</c>. After it come a line with the word <c>time</c> and the seconds in decimal, an
/// empty line, and the note with the log's signature.
/// </remarks>
/// <param name="Time">Time of the cosignature, in seconds since 1970 in UTC.</param>
/// <param name="Note">The checkpoint as a note with only the log's signature.</param>
/// <param name="Checkpoint">The same checkpoint, parsed.</param>
internal sealed record WitnessedState(ulong Time, SignedNote Note, Checkpoint Checkpoint)
{
    private const string Header = "optiks witness 1\ntime ";

    /// <summary>Returns the contents of the state file.</summary>
    public byte[] Encode() =>
        [.. Encoding.ASCII.GetBytes(string.Create(CultureInfo.InvariantCulture, $"{Header}{Time}\n\n")), .. Note.Encode()];

    /// <summary>Parses the contents of a state file. The caller must verify that the log made the signature.</summary>
    public static bool TryDecode(ReadOnlySpan<byte> octets, [NotNullWhen(true)] out WitnessedState? state)
    {
        state = null;
        byte[] header = Encoding.ASCII.GetBytes(Header);
        int end = octets.IndexOf("\n\n"u8);
        if (end < header.Length || !octets.StartsWith(header)
            || !ulong.TryParse(octets[header.Length..end], NumberStyles.None, CultureInfo.InvariantCulture, out ulong time)
            || time > Cosignature.MaxTimestamp
            || !SignedNote.TryParse(octets[(end + 2)..], out SignedNote? note, out _)
            || !Checkpoint.TryParse(note.Text.Span, out Checkpoint? checkpoint, out _))
        {
            return false;
        }
        state = new WitnessedState(time, note, checkpoint);
        return state.Encode().AsSpan().SequenceEqual(octets);
    }
}
