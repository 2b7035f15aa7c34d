using Microsoft.AspNetCore.Http;
using Microsoft.Net.Http.Headers;

namespace Optiks.ServiceDefaults;

/// <summary>Sets the headers that say how long an answer may be cached (docs/spec/rest.md section 1).</summary>
public static class Caching
{
    private const string Forever = "public, max-age=31536000, immutable";

    /// <summary>Forbids caching, for an answer about a key.</summary>
    public static void NoStore(HttpResponse response)
    {
        response.Headers.CacheControl = "no-store";
        response.Headers.Vary = HeaderNames.Accept;
    }

    /// <summary>
    /// Marks an answer that never changes. Returns true if the client already has the content: the answer is then 304 and complete.
    /// </summary>
    /// <param name="context">The request.</param>
    /// <param name="name">A name that no other content of this log ever has; visible ASCII without quotes.</param>
    public static bool IsUnchanged(HttpContext context, string name)
    {
        context.Response.Headers.CacheControl = Forever;
        return IsKnown(context, name);
    }

    /// <summary>
    /// Sets the entity tag. Returns true if the client already has the content with this tag: the answer is then 304 and complete.
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
