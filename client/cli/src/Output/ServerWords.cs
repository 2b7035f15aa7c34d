using Optiks.Protocol;

namespace Optiks.Cli;

/// <summary>
/// Marks words that a server chose, so that nobody mistakes them for a verdict of the client in the member <c>reason</c> of JSON output.
/// </summary>
internal static class ServerWords
{
    // The reasons of refusals in docs/spec/users.md section 7 and docs/spec/erasure.md section 4, and the problem types in
    // docs/spec/rest.md section 2.
    private static readonly HashSet<string> s_known = new(
        [
            .. ProblemNames.All,
            "expected-version", "user-left", "user-exists", "user-unknown", "username-taken", "device-taken", "device-unknown",
            "device-limit",
            "latest-version", "other-period", "user-not-left", "erasure-limit", "nothing-left", "erased-with-user",
        ],
        StringComparer.Ordinal);

    /// <summary>Returns the reason of a refused request, or the word "refused" if the server gave no reason.</summary>
    public static string Refusal(string? because) => because is null ? "refused" : Mark(because);

    /// <summary>Returns a word of the specification unchanged, and any other word with the prefix <c>server:</c>.</summary>
    public static string Mark(string word) => s_known.Contains(word) ? word : $"server:{word}";
}
