namespace Optiks.QueryService.Answers;

/// <summary>Holds the limits for the lengths of answers (docs/spec/rest.md section 4).</summary>
internal static class AnswerLimits
{
    /// <summary>The length of a page in bytes, which the versions of all keys in one answer share.</summary>
    public const int PageLength = 4 * 1024 * 1024;

    /// <summary>
    /// The usual number of proofs in the lookup of one key: one for its latest version, and one for the absence of the next version.
    /// </summary>
    public const int ProofsOfLookup = 2;

    // The largest length of an answer with several keys. It is enough for a page that has one version of each key, even if these versions
    // exceed the page's length.
    private const int MaxPagesLength = 2 * PageLength;

    /// <summary>
    /// Returns the greatest length of an answer in bytes. This function sets no bound for an answer about one key, because the log's
    /// configuration bounds the length of the key's value.
    /// </summary>
    public static int MaxAnswerLength(QueryKind kind, int keys) =>
        keys == 1 ? int.MaxValue : kind == QueryKind.Lookup ? PageLength : MaxPagesLength;
}
