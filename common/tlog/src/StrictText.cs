using System.Buffers;
using System.Buffers.Text;
using System.Globalization;
using System.Text;
using System.Text.Unicode;

namespace Optiks.Tlog;

/// <summary>
/// Parses the few lexical forms of the C2SP texts. Each value has exactly one accepted spelling, so that a parsed value encodes to the
/// parsed bytes.
/// </summary>
internal static class StrictText
{
    public const byte Newline = (byte)'\n';

    /// <summary>Parses a decimal number of 64 bits: ASCII digits without a sign or a leading zero.</summary>
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
    /// Parses base64 with the standard alphabet and padding. The .NET decoder skips white space and ignores unused bits, so the method
    /// encodes the result again and compares.
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

    /// <summary>Returns whether a string may be a key name: not empty, no Unicode space, no control character, no '+'.</summary>
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
    /// Checks that a text has only characters that a note may contain. Every text that this library reads follows this rule.
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

    /// <summary>Takes the next line, without its newline, from the front of a text. Returns false if no newline is left.</summary>
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
