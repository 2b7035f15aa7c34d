namespace Optiks.Protocol;

/// <summary>UuidText reads UUIDs. <see cref="Guid.TryParseExact(ReadOnlySpan{char}, ReadOnlySpan{char}, out Guid)"/> takes blanks around them, and signs in their parts: other programs would refuse the same text, or know it as another id.</summary>
public static class UuidText
{
    /// <summary>Length in characters.</summary>
    public const int Length = 36;

    /// <summary>TryParse reads 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12, with a hyphen between two groups, and nothing else.</summary>
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
