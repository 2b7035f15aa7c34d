using System.Buffers;
using System.Buffers.Text;
using System.Globalization;
using System.Text;
using System.Text.Unicode;

namespace Optiks.Tlog;

/// <summary>
/// Parses the numbers, base64 texts, names and lines of the C2SP text formats. Only one spelling of each value is accepted, so encoding a
/// parsed value gives the parsed bytes again.
/// </summary>
internal static class StrictText
{
    public const byte Newline = (byte)'\n';

    /// <summary>Parses a decimal number of at most 64 bits. The text must be ASCII digits, without a sign and without a leading
    /// zero.</summary>
    public static bool TryParseDecimal(ReadOnlySpan<byte> text, out ulong value)
    {
        value = 0;
        if (text.IsEmpty || text.ContainsAnyExceptInRange((byte)'0', (byte)'9') || (text[0] == '0' && text.Length > 1))
        {
            return false;
        }
        return ulong.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out value);
    }

    /// <summary>
    /// Parses base64 with the standard alphabet and padding. The .NET decoder skips white space and ignores unused bits, so this method
    /// encodes the result again and compares it with the text.
    /// </summary>
    public static bool TryDecodeBase64(ReadOnlySpan<byte> text, out byte[] bytes)
    {
        bytes = new byte[Base64.GetMaxDecodedFromUtf8Length(text.Length)];
        if (Base64.DecodeFromUtf8(text, bytes, out int consumed, out int written) != OperationStatus.Done || consumed != text.Length)
        {
            return false;
        }
        Array.Resize(ref bytes, written);
        return Encoding.ASCII.GetBytes(Convert.ToBase64String(bytes)).AsSpan().SequenceEqual(text);
    }

    /// <summary>Returns whether a string may be a key name. A key name is not empty, and has no Unicode space, no control character and no
    /// '+'.</summary>
    public static bool IsKeyName(ReadOnlySpan<char> name)
    {
        foreach (char c in name)
        {
            if (c == '+' || c < ' ' || char.IsWhiteSpace(c))
            {
                return false;
            }
        }
        return !name.IsEmpty;
    }

    /// <summary>
    /// Checks that a text has only characters that a note may contain. All texts that this library reads must follow this rule.
    /// </summary>
    public static TlogError CheckCharacters(ReadOnlySpan<byte> text)
    {
        foreach (byte b in text)
        {
            if (b < 0x20 && b != Newline)
            {
                return TlogError.ControlCharacter;
            }
        }
        return Utf8.IsValid(text) ? TlogError.None : TlogError.NotUtf8;
    }

    /// <summary>Removes the first line from a text and returns it without its newline. Returns false if the text has no newline.</summary>
    public static bool TryTakeLine(ref ReadOnlySpan<byte> text, out ReadOnlySpan<byte> line)
    {
        int end = text.IndexOf(Newline);
        if (end < 0)
        {
            line = default;
            return false;
        }
        line = text[..end];
        text = text[(end + 1)..];
        return true;
    }
}
