namespace Optiks.QueryService.Answers;

/// <summary>Says how long answers get (docs/spec/rest.md section 4).</summary>
internal static class AnswerLimits
{
    /// <summary>PageLength that the versions of all keys of one answer share, in octets.</summary>
    public const int PageLength = 4 * 1024 * 1024;

    /// <summary>ProofsOfLookup that the lookup of a key has, as a rule: of its latest version, and of the absence of the next.</summary>
    public const int ProofsOfLookup = 2;

    // Where a page has one version of each key, however long they are.
    private const int MaxPagesLength = 2 * PageLength;

    /// <summary>Of an answer: its greatest length in octets. An answer about one key is as long as its value, which the configuration bounds.</summary>
    public static int Of(QueryKind kind, int keys) => keys == 1 ? int.MaxValue : kind == QueryKind.Lookup ? PageLength : MaxPagesLength;
}
