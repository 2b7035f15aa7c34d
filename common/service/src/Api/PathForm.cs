using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http.Features;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Refuses paths that a proxy in front of the service and the service itself could read differently (docs/spec/rest.md section 1). For
/// example, nginx decodes <c>%2f</c> before it removes dot segments, but Kestrel never decodes <c>%2f</c>. The path
/// <c>/log/a%2fb/../../metrics</c> is therefore a file of the log for nginx, but <c>/metrics</c> for Kestrel.
/// </summary>
internal static class PathForm
{
    /// <summary>Adds this check to the service. The check must come before all middleware that uses the path.</summary>
    public static void Use(WebApplication app) =>
        app.Use((context, next) => context.Features.Get<IHttpRequestFeature>() is { RawTarget: { Length: > 0 } target } && !IsPlain(target)
            ? new Problem(ProblemTypes.MalformedRequest,
                "The path has an encoded slash or dot, a backslash, a '#', or an empty or dot segment.").ExecuteAsync(context)
            : next(context));

    /// <summary>Returns whether every program reads the same path from a request's target. The target is a path or an absolute
    /// URL.</summary>
    internal static bool IsPlain(ReadOnlySpan<char> target)
    {
        int query = target.IndexOf('?');
        ReadOnlySpan<char> path = query < 0 ? target : target[..query];
        if (!path.StartsWith('/') && path.IndexOf("://", StringComparison.Ordinal) is > 0 and var scheme)
        {
            ReadOnlySpan<char> authority = path[(scheme + 3)..];
            path = authority.IndexOf('/') is >= 0 and var slash ? authority[slash..] : default;
        }
        if (path.ContainsAny('\\', '#') || path.Contains("//", StringComparison.Ordinal)
            || path.Contains("%2f", StringComparison.OrdinalIgnoreCase) || path.Contains("%5c", StringComparison.OrdinalIgnoreCase)
            || path.Contains("%2e", StringComparison.OrdinalIgnoreCase))
        {
            return false;
        }
        foreach (Range segment in path.Split('/'))
        {
            if (path[segment] is "." or "..")
            {
                return false;
            }
        }
        return true;
    }
}
