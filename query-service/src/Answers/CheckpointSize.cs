using System.Globalization;
using Microsoft.Extensions.Primitives;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Answers;

/// <summary>CheckpointSize reads <c>?checkpoint_size=s</c>: the size of the checkpoint that the client keeps.</summary>
internal static class CheckpointSize
{
    public const string Parameter = "checkpoint_size";

    /// <summary>Read gives 0 when the parameter is absent. Throws <see cref="ProblemException"/> (malformed-request).</summary>
    public static ulong Read(HttpRequest request)
    {
        // Most requests have no query string, and looking at the parsed one allocates.
        if (!request.QueryString.HasValue || !request.Query.TryGetValue(Parameter, out StringValues values))
        {
            return 0;
        }
        return values.Count == 1 && TryParse(values[0], out ulong size)
            ? size
            : throw new ProblemException(new Problem(ProblemTypes.MalformedRequest, "The checkpoint's size is one integer in decimal without leading zeros.", Parameter));
    }

    /// <summary>TryParse reads a decimal below 2^64 in its only spelling.</summary>
    public static bool TryParse(ReadOnlySpan<char> text, out ulong value) =>
        ulong.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out value) && (text.Length == 1 || text[0] != '0');
}
