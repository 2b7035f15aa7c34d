using System.Net;
using System.Text;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Refuses a request with URL parameters that the service's <see cref="ApiDocument"/> does not describe for the endpoint. The service must
/// not ignore a misspelt parameter, just as it does not ignore an unknown member of a body.
/// </summary>
internal static class UrlParameters
{
    private const int MaxQuotedName = 64;
    private static readonly UTF8Encoding s_strict = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    /// <summary>Adds this check to the service. Call this method after routing and before the endpoints.</summary>
    /// <param name="app">The service.</param>
    /// <param name="api">The OpenAPI document of the service; null if none of its endpoints takes a URL parameter.</param>
    public static void Use(WebApplication app, ApiDocument? api) =>
        app.Use((context, next) =>
        {
            // Most requests have no query string. This test saves them the parsing, which allocates memory.
            if (context.Request.QueryString.HasValue && context.GetEndpoint() is RouteEndpoint endpoint)
            {
                Check(context.Request, name => api is not null && api.Takes(context.Request.Method, endpoint.RoutePattern.RawText!, name));
            }
            return next(context);
        });

    /// <summary>
    /// Returns the text that names a wrong URL parameter in a problem document (docs/spec/rest.md section 1). If the parameter's name has
    /// unusual characters, the text is only the question mark.
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

    // Returns whether the percent-encoding of a text is valid. Without this check, invalid encodings would be used unchanged: "%FF" would
    // become these three characters.
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
            // The decoded bytes are not UTF-8. (The exceptions of `Encoding` derive from `ArgumentException`.)
            return false;
        }
    }

    private static ProblemException Refused(string detail, string field) => new(new Problem(ProblemTypes.MalformedRequest, detail, field));
}
