using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Text;
using Optiks.Tlog;

namespace Optiks.Receipts;

/// <summary>
/// Parses the lines of the two kinds of notes in docs/spec/receipts.md. The methods accept several spellings of the same content. A caller
/// therefore compares the note's bytes with the bytes that it would write for the parsed content.
/// </summary>
internal static class ReceiptText
{
    /// <summary>The largest number that a line may contain, 2^53-1.</summary>
    public const ulong LargestNumber = (1UL << 53) - 1;

    /// <summary>Parses a signed note and splits its text into lines. Each newline ends a line.</summary>
    public static bool TryParse(
        ReadOnlySpan<byte> octets, [NotNullWhen(true)] out SignedNote? note, [NotNullWhen(true)] out string[]? lines)
    {
        lines = null;
        if (!SignedNote.TryParse(octets, out note, out _))
        {
            return false;
        }
        string text = Encoding.UTF8.GetString(note.Text.Span);
        lines = text[..^1].Split('\n');
        return true;
    }

    /// <summary>Returns the text after the name and the space with which a line begins, or null if the line begins otherwise.</summary>
    public static string? Field(string line, string name) =>
        line.StartsWith($"{name} ", StringComparison.Ordinal) ? line[(name.Length + 1)..] : null;

    /// <summary>Parses a decimal number of at most <see cref="LargestNumber"/>.</summary>
    public static bool TryNumber(string? text, out ulong number)
    {
        number = 0;
        return text is not null && ulong.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out number)
            && number <= LargestNumber;
    }

    /// <summary>Parses 32 bytes in standard base64.</summary>
    public static bool TryHash(string? text, out TreeHash hash)
    {
        hash = default;
        return text is not null && TreeHash.TryParseBase64(Encoding.UTF8.GetBytes(text), out hash);
    }

    /// <summary>Returns the only signature of a key, or null if the key has no signature or several.</summary>
    public static NoteSignature? SignatureBy(SignedNote note, VerifierKey key)
    {
        NoteSignature[] found = [.. note.Signatures.Where(signature => signature.IsBy(key)).Take(2)];
        return found.Length == 1 ? found[0] : null;
    }
}
