using System.Diagnostics.CodeAnalysis;
using System.Text;
using Optiks.Tlog;

namespace Optiks.Witness;

/// <summary>The body of an add-checkpoint request, parsed but not verified (docs/spec/witness.md section 2). Immutable.</summary>
/// <param name="OldSize">The size of the checkpoint that the witness cosigned last, as far as the log knows.</param>
/// <param name="Proof">Consistency proof from <paramref name="OldSize"/> to the size of the note.</param>
/// <param name="Note">The signed note to cosign.</param>
/// <param name="Origin">First line of the note's text, which names the log that the note claims to belong to.</param>
internal sealed record AddCheckpointRequest(ulong OldSize, IReadOnlyList<TreeHash> Proof, SignedNote Note, string Origin)
{
    /// <summary>The longest body, in octets.</summary>
    public const int MaxLength = 16 * 1024;

    // The most hashes of a consistency proof: the length of a path in a tree of less than 2^64 leaves.
    private const int MaxProof = 63;

    /// <summary>Parses the whole body of a request.</summary>
    public static bool TryParse(ReadOnlySpan<byte> body, [NotNullWhen(true)] out AddCheckpointRequest? request)
    {
        request = null;
        if (!TryTakeLine(ref body, out ReadOnlySpan<byte> line) || !line.StartsWith("old "u8)
            || !TryParseSize(line[4..], out ulong oldSize))
        {
            return false;
        }
        var proof = new List<TreeHash>();
        while (true)
        {
            if (!TryTakeLine(ref body, out line))
            {
                return false;
            }
            if (line.IsEmpty)
            {
                break;
            }
            if (proof.Count == MaxProof || !TreeHash.TryParseBase64(line, out TreeHash hash))
            {
                return false;
            }
            proof.Add(hash);
        }
        if (!SignedNote.TryParse(body, out SignedNote? note, out _))
        {
            return false;
        }
        ReadOnlySpan<byte> text = note.Text.Span;
        request = new AddCheckpointRequest(oldSize, proof, note, Encoding.UTF8.GetString(text[..text.IndexOf((byte)'\n')]));
        return true;
    }

    private static bool TryTakeLine(ref ReadOnlySpan<byte> text, out ReadOnlySpan<byte> line)
    {
        int end = text.IndexOf((byte)'\n');
        line = end < 0 ? default : text[..end];
        text = text[(end + 1)..];
        return end >= 0;
    }

    // Accepts only ASCII digits without a leading zero, for a number below 2^64.
    private static bool TryParseSize(ReadOnlySpan<byte> text, out ulong size)
    {
        size = 0;
        return !text.IsEmpty && !text.ContainsAnyExceptInRange((byte)'0', (byte)'9') && (text[0] != '0' || text.Length == 1)
            && ulong.TryParse(text, System.Globalization.NumberStyles.None, System.Globalization.CultureInfo.InvariantCulture, out size);
    }
}
