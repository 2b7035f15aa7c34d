using System.Globalization;
using System.Text;
using System.Text.Unicode;

namespace Optiks.Protocol;

/// <summary>
/// Renders untrusted text, such as values, keys and a server's messages, so that a terminal displays the text and does not act on it. The
/// result has no escape sequences, invisible characters, or characters that change the direction of writing. Any thread may use this class.
/// </summary>
public static class DisplayText
{
    private const string OctetsPrefix = "b64:";

    // The letters, marks and symbols that are displayed as blank. All other invisible characters are recognized by their Unicode category.
    private static readonly HashSet<int> s_blank =
    [
        0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180F, 0x2800, 0x3164, 0xFFA0,
        .. Enumerable.Range(0xFE00, 16), .. Enumerable.Range(0xE0100, 240),
    ];

    /// <summary>
    /// Replaces each character that is not safe to show with its JSON escape, such as <c>\u202e</c>, and cuts the text at
    /// <paramref name="maxLength"/> characters.
    /// </summary>
    public static string Escape(string text, int maxLength = int.MaxValue)
    {
        ArgumentNullException.ThrowIfNull(text);
        var shown = new StringBuilder(Math.Min(text.Length, maxLength));
        foreach (Rune rune in text.EnumerateRunes())
        {
            if (shown.Length >= maxLength)
            {
                return shown.Append("...").ToString();
            }
            Append(shown, rune, IsSafe(rune));
        }
        return shown.ToString();
    }

    /// <summary>
    /// Renders bytes so that people can read them, and so that different bytes never give the same text. Bytes that are not UTF-8 or have
    /// control characters become <c>b64:</c> and their base64url text. A text becomes a JSON string in quotation marks if it is empty, or
    /// begins with <c>b64:</c> or a quotation mark. A text also becomes a JSON string if it begins or ends with a space, or has characters
    /// that are not safe to show. Other text stays unchanged. A result longer than <paramref name="maxLength"/> characters is cut, and its
    /// end says that it was cut.
    /// </summary>
    public static string Show(ReadOnlySpan<byte> octets, int maxLength = int.MaxValue)
    {
        string shown = IsText(octets) ? Quote(Encoding.UTF8.GetString(octets)) : OctetsPrefix + Base64UrlText.Encode(octets);
        if (shown.Length <= maxLength)
        {
            return shown;
        }
        int end = char.IsHighSurrogate(shown[maxLength - 1]) ? maxLength - 1 : maxLength;
        return $"{shown[..end]}... ({octets.Length} octets)";
    }

    /// <summary>
    /// Returns whether bytes are UTF-8 without control characters. JSON answers contain such bytes also as text (docs/spec/rest.md section
    /// 4).
    /// </summary>
    public static bool IsText(ReadOnlySpan<byte> octets) => Utf8.IsValid(octets) && !Encoding.UTF8.GetString(octets).Any(char.IsControl);

    private static string Quote(string text)
    {
        bool plain = text.Length > 0 && text[0] is not ('"' or ' ') && text[^1] != ' '
            && !text.StartsWith(OctetsPrefix, StringComparison.Ordinal) && text.EnumerateRunes().All(IsSafe);
        if (plain)
        {
            return text;
        }
        var quoted = new StringBuilder("\"", text.Length + 16);
        foreach (Rune rune in text.EnumerateRunes())
        {
            if (rune.Value is '"' or '\\')
            {
                quoted.Append('\\');
            }
            Append(quoted, rune, IsSafe(rune));
        }
        return quoted.Append('"').ToString();
    }

    private static bool IsSafe(Rune rune) => !s_blank.Contains(rune.Value) && Rune.GetUnicodeCategory(rune) switch
    {
        UnicodeCategory.Control or UnicodeCategory.Format or UnicodeCategory.LineSeparator or UnicodeCategory.ParagraphSeparator => false,
        UnicodeCategory.Surrogate or UnicodeCategory.PrivateUse or UnicodeCategory.OtherNotAssigned => false,
        UnicodeCategory.SpaceSeparator => rune.Value == ' ',
        _ => true,
    };

    private static void Append(StringBuilder shown, Rune rune, bool safe)
    {
        Span<char> units = stackalloc char[2];
        foreach (char unit in units[..rune.EncodeToUtf16(units)])
        {
            _ = safe ? shown.Append(unit) : shown.Append(CultureInfo.InvariantCulture, $"\\u{(int)unit:x4}");
        }
    }
}
