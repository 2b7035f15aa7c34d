using System.Text.RegularExpressions;

namespace Optiks;

/// <summary>Turns error messages into text that can be shown to people.</summary>
public static partial class ErrorText
{
    /// <summary>
    /// Returns an exception's message as one line, without the .NET parameter name that libraries append. The parameter name means nothing
    /// to the person who typed a setting.
    /// </summary>
    public static string Line(string message)
    {
        ArgumentNullException.ThrowIfNull(message);
        return Parameter().Replace(message.ReplaceLineEndings(" "), "");
    }

    /// <summary>Returns an address without its possibly secret parts: user, password and query.</summary>
    public static string Address(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        int query = text.IndexOf('?', StringComparison.Ordinal);
        return User().Replace(query < 0 ? text : $"{text[..query]}?...", "//...@");
    }

    // The match ends at the last @ of the address, because a password may contain an @ and a slash.
    [GeneratedRegex("//.*@")]
    private static partial Regex User();

    [GeneratedRegex(@" ?\(Parameter '[^']*'\)")]
    private static partial Regex Parameter();
}
