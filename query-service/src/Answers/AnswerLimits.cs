namespace Optiks.QueryService.Answers;

/// <summary>The lengths of answers (docs/spec/rest.md section 4).</summary>
internal static class AnswerLimits
{
    /// <summary>The number of bytes that the versions of all keys in one answer may have together.</summary>
    public const int PageLength = 4 * 1024 * 1024;

    /// <summary>
    /// The number of proofs in the lookup of a key, as a rule: one for its latest version, and one for the next version's absence.
    /// </summary>
    public const int ProofsOfLookup = 2;

    // Covers a page that has one version of each key, however long the versions are.
    private const int MaxPagesLength = 2 * PageLength;

    /// <summary>
    /// Returns the greatest length of an answer in bytes. An answer about one key is as long as its value, which the configuration bounds.
    /// </summary>
    public static int MaxAnswerLength(QueryKind kind, int keys) => keys == 1 ? int.MaxValue : kind == QueryKind.Lookup ? PageLength : MaxPagesLength;
}
