using System.CommandLine;
using System.CommandLine.Parsing;
using System.Text.RegularExpressions;

namespace Optiks.Commands;

/// <summary>Explains errors in a command line in words that the person who typed it knows.</summary>
internal static partial class UsageText
{
    /// <summary>Returns one sentence for each error of a command line.</summary>
    public static IEnumerable<string> Format(ParseResult parse)
    {
        string[] messages = [.. parse.Errors.Select(Message).Distinct()];
        // If a word is unknown, only the messages about unknown words are shown. The message "Required command was not provided" would add
        // nothing.
        return parse.UnmatchedTokens.Count > 0 && messages.Length > 1
            ? messages.Where(message => parse.UnmatchedTokens.Any(word => message.Contains($"'{word}'", StringComparison.Ordinal)))
            : messages;
    }

    // Replaces messages of the command-line library that name a .NET type, because such a name means nothing to the user.
    private static string Message(ParseError error) => UnreadableValue().Match(error.Message) is { Success: true } unreadable
        ? $"'{unreadable.Groups["value"].Value}' is not a valid value for {unreadable.Groups["name"].Value}, which takes {Kind(unreadable.Groups["type"].Value)}."
        : error.Message;

    private static string Kind(string type) => type switch
    {
        _ when type.Contains("Guid", StringComparison.Ordinal) => "a UUID",
        _ when type.Contains("UInt", StringComparison.Ordinal) => "a whole number, 0 or more",
        _ when type.Contains("Int", StringComparison.Ordinal) => "a whole number",
        _ when type.Contains("Double", StringComparison.Ordinal) => "a number",
        _ when type.Contains("Boolean", StringComparison.Ordinal) => "true or false",
        _ => "another value",
    };

    [GeneratedRegex(@"^Cannot parse argument '(?<value>.*)' for (option|command) '(?<name>.*)' as expected type '(?<type>.*)'\.")]
    private static partial Regex UnreadableValue();
}
