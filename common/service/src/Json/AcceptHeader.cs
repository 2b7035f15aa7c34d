using Microsoft.AspNetCore.Http;
using Microsoft.Net.Http.Headers;

namespace Optiks.ServiceDefaults;

/// <summary>Chooses the media type of an answer.</summary>
public static class AcceptHeader
{
    /// <summary>
    /// Returns the offered media type that the request prefers. If the request prefers several types equally, or has no Accept header,
    /// returns the first of these types. Throws <see cref="ProblemException"/> (not-acceptable) if the request accepts none of them.
    /// </summary>
    public static string Choose(HttpRequest request, params ReadOnlySpan<string> offered)
    {
        ArgumentNullException.ThrowIfNull(request);
        var header = request.Headers.Accept;
        if (header.Count == 0)
        {
            return offered[0];
        }
        // Most callers use SDKs, which name exactly one type, so the common case needs no comparison of media ranges.
        foreach (string type in offered)
        {
            if (header.Count == 1 && string.Equals(header[0], type, StringComparison.Ordinal))
            {
                return type;
            }
        }
        if (MediaTypeHeaderValue.TryParseList(header, out IList<MediaTypeHeaderValue>? accepted))
        {
            string? best = null;
            double bestQuality = 0;
            foreach (string type in offered)
            {
                double quality = Quality(new MediaTypeHeaderValue(type), accepted);
                if (quality > bestQuality)
                {
                    best = type;
                    bestQuality = quality;
                }
            }
            if (best is not null)
            {
                return best;
            }
        }
        throw new ProblemException(new Problem(ProblemTypes.NotAcceptable, $"The answer is available as {string.Join(" or ", offered!)}."));
    }

    // Returns the quality of a type. The most specific media range that matches the type decides (RFC 9110 section 12.5.1).
    private static double Quality(MediaTypeHeaderValue type, IList<MediaTypeHeaderValue> accepted)
    {
        double quality = 0;
        int specificity = -1;
        foreach (MediaTypeHeaderValue range in accepted)
        {
            if (range.Charset.Equals("utf-8", StringComparison.OrdinalIgnoreCase))
            {
                // The charset UTF-8 is ignored, because every answer has this charset.
                range.Charset = default;
            }
            int rank = range.MatchesAllTypes ? 0 : range.MatchesAllSubTypes ? 1 : 2;
            if (rank > specificity && type.IsSubsetOf(range))
            {
                specificity = rank;
                quality = range.Quality ?? 1;
            }
        }
        return quality;
    }
}
