using System.Net;
using System.Text;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Refuses URL parameters that the service's <see cref="ApiDocument"/> does not describe for the endpoint, like unknown members of bodies: a
/// misspelt parameter must not be ignored.
/// </summary>
internal static class UrlParameters
{
    private const int MaxQuotedName = 64;
    private static readonly UTF8Encoding s_strict = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    /// <summary>Adds the check before the endpoints. Call this method after routing.</summary>
    /// <param name="app">The service.</param>
    /// <param name="api">The service's interface; null if no endpoint takes a parameter.</param>
    public static void Use(WebApplication app, ApiDocument? api) =>
        app.Use((context, next) =>
        {
            // Most requests have no query string, and parsing one allocates.
            if (context.Request.QueryString.HasValue && context.GetEndpoint() is RouteEndpoint endpoint)
            {
                Check(context.Request, name => api is not null && api.Takes(context.Request.Method, endpoint.RoutePattern.RawText!, name));
            }
            return next(context);
        });

    /// <summary>
    /// Returns the field of a problem with a parameter (docs/spec/rest.md section 1); for an unusual name, only the question mark.
    /// </summary>
    public static string GetField(string name) =>
        name.Length <= MaxQuotedName && name.All(c => char.IsAsciiLetterOrDigit(c) || c == '_') ? $"?{name}" : "?";

    private static void Check(HttpRequest request, Predicate<string> isTaken)
    {
        if (!IsEncoded(request.QueryString.Value!))
        {
            throw Refused("The query string is not percent-encoded UTF-8.", "?");
        }
        foreach ((string name, Microsoft.Extensions.Primitives.StringValues values) in request.Query)
        {
            if (!isTaken(name))
            {
                throw Refused("This path does not take the URL parameter.", GetField(name));
            }
            if (values.Count != 1)
            {
                throw Refused("The URL parameter is given twice.", GetField(name));
            }
        }
    }

    // Returns whether a text is well encoded. Without this check, other text would be used unchanged: "%FF" as three characters.
    private static bool IsEncoded(string text)
    {
        for (int at = text.IndexOf('%', StringComparison.Ordinal); at >= 0; at = text.IndexOf('%', at + 1))
        {
            if (at + 2 >= text.Length || !char.IsAsciiHexDigit(text[at + 1]) || !char.IsAsciiHexDigit(text[at + 2]))
            {
                return false;
            }
        }
        try
        {
            byte[] octets = s_strict.GetBytes(text);
            s_strict.GetCharCount(WebUtility.UrlDecodeToBytes(octets, 0, octets.Length));
            return true;
        }
        catch (ArgumentException)
        {
            // The decoded bytes are not UTF-8. The encoding's exceptions derive from ArgumentException.
            return false;
        }
    }

    private static ProblemException Refused(string detail, string field) => new(new Problem(ProblemTypes.MalformedRequest, detail, field));
}
