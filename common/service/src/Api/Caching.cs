using Microsoft.AspNetCore.Http;
using Microsoft.Net.Http.Headers;

namespace Optiks.ServiceDefaults;

/// <summary>Sets the headers that say how long an answer may be cached (docs/spec/rest.md section 1).</summary>
public static class Caching
{
    private const string Forever = "public, max-age=31536000, immutable";

    /// <summary>Forbids caching of an answer. Answers about keys must not be cached.</summary>
    public static void NoStore(HttpResponse response)
    {
        response.Headers.CacheControl = "no-store";
        response.Headers.Vary = HeaderNames.Accept;
    }

    /// <summary>
    /// Marks an answer whose content never changes. If the client already has the content, sets the status 304 and returns true; the answer
    /// then needs no body.
    /// </summary>
    /// <param name="context">The context of the request.</param>
    /// <param name="name">The entity tag, which no other content of this log ever has. It must be visible ASCII without quotes.</param>
    public static bool IsUnchanged(HttpContext context, string name)
    {
        context.Response.Headers.CacheControl = Forever;
        return IsKnown(context, name);
    }

    /// <summary>
    /// Sets the entity tag of an answer. If the client already has the content with this tag, sets the status 304 and returns true; the
    /// answer then needs no body.
    /// </summary>
    public static bool IsKnown(HttpContext context, string name)
    {
        var tag = new EntityTagHeaderValue($"\"{name}\"");
        context.Response.Headers.ETag = tag.ToString();
        if (EntityTagHeaderValue.TryParseList(context.Request.Headers.IfNoneMatch, out IList<EntityTagHeaderValue>? known)
            && known.Any(other => other.Equals(EntityTagHeaderValue.Any) || other.Compare(tag, useStrongComparison: false)))
        {
            context.Response.StatusCode = StatusCodes.Status304NotModified;
            return true;
        }
        return false;
    }
}
