using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Text;
using Optiks.Tlog;

namespace Optiks.Receipts;

/// <summary>ReceiptText reads the lines of the two notes of docs/spec/receipts.md. What is read here may have other spellings: the notes' readers compare the octets with those that they would write.</summary>
internal static class ReceiptText
{
    /// <summary>LargestNumber of a line: 2^53-1.</summary>
    public const ulong LargestNumber = (1UL << 53) - 1;

    /// <summary>TryParse gives note and lines, of which a text has one for each newline.</summary>
    public static bool TryParse(ReadOnlySpan<byte> octets, [NotNullWhen(true)] out SignedNote? note, [NotNullWhen(true)] out string[]? lines)
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

    /// <summary>Field gives what a line has after its name and a space; null: it is no such line.</summary>
    public static string? Field(string line, string name) => line.StartsWith($"{name} ", StringComparison.Ordinal) ? line[(name.Length + 1)..] : null;

    /// <summary>TryNumber reads a decimal of at most <see cref="LargestNumber"/>.</summary>
    public static bool TryNumber(string? text, out ulong number)
    {
        number = 0;
        return text is not null && ulong.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out number) && number <= LargestNumber;
    }

    /// <summary>TryHash reads 32 octets in standard base64.</summary>
    public static bool TryHash(string? text, out TreeHash hash)
    {
        hash = default;
        return text is not null && TreeHash.TryParseBase64(Encoding.UTF8.GetBytes(text), out hash);
    }

    /// <summary>SignatureBy gives the one signature of a key; null: there is none, or several.</summary>
    public static NoteSignature? SignatureBy(SignedNote note, VerifierKey key)
    {
        NoteSignature[] found = [.. note.Signatures.Where(signature => signature.IsBy(key)).Take(2)];
        return found.Length == 1 ? found[0] : null;
    }
}
