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

    [GeneratedRegex(@" ?\(Parameter '[^']*'\)")]
    private static partial Regex Parameter();
}
