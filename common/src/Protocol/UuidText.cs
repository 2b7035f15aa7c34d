namespace Optiks.Protocol;

/// <summary>
/// Parses UUIDs strictly. <see cref="Guid.TryParseExact(ReadOnlySpan{char}, ReadOnlySpan{char}, out Guid)"/> accepts blanks around a UUID
/// and plus or minus signs in its groups. Other programs would refuse such a text, or read another UUID from it.
/// </summary>
public static class UuidText
{
    /// <summary>The length of a UUID's text in characters.</summary>
    public const int Length = 36;

    /// <summary>Parses a UUID. The text must be 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12, separated by hyphens, and nothing
    /// else.</summary>
    public static bool TryParse(ReadOnlySpan<char> text, out Guid id)
    {
        id = default;
        if (text.Length != Length)
        {
            return false;
        }
        for (int i = 0; i < Length; i++)
        {
            bool isHyphen = i is 8 or 13 or 18 or 23;
            if (isHyphen ? text[i] != '-' : !char.IsAsciiHexDigit(text[i]))
            {
                return false;
            }
        }
        return Guid.TryParseExact(text, "D", out id);
    }
}
