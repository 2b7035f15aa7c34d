using System.Text.RegularExpressions;

namespace Optiks;

/// <summary>ErrorText makes one line for people of an exception's message.</summary>
public static partial class ErrorText
{
    /// <summary>Line without line ends, and without the parameter of .NET that libraries append to what their caller was given: it means nothing to who typed a setting.</summary>
    public static string Line(string message)
    {
        ArgumentNullException.ThrowIfNull(message);
        return Parameter().Replace(message.ReplaceLineEndings(" "), "");
    }

    /// <summary>Address gives the text of an address without what may be a secret in it: user and password, and the query.</summary>
    public static string Address(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        int query = text.IndexOf('?', StringComparison.Ordinal);
        return User().Replace(query < 0 ? text : $"{text[..query]}?...", "//...@");
    }

    // Through the last one: a password may have an @ and a slash.
    [GeneratedRegex("//.*@")]
    private static partial Regex User();

    [GeneratedRegex(@" ?\(Parameter '[^']*'\)")]
    private static partial Regex Parameter();
}
