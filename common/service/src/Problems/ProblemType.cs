using Optiks.Protocol;

namespace Optiks.ServiceDefaults;

/// <summary>ProblemType is one of the fixed kinds of error answers (docs/spec/rest.md section 2).</summary>
/// <param name="Name">Last part of the type's URN.</param>
/// <param name="Status">HTTP status.</param>
/// <param name="Title">What it means, the same for every occurrence.</param>
public sealed record ProblemType(string Name, int Status, string Title)
{
    /// <summary>Urn that stands as <c>type</c>.</summary>
    public string Urn { get; } = ProblemNames.UrnPrefix + Name;

    /// <summary>ForStatus maps a bare status, as ASP.NET Core's own components set it, to the type that explains it.</summary>
    internal static ProblemType ForStatus(int status) => status switch
    {
        401 => ProblemTypes.Unauthorized,
        403 => ProblemTypes.Forbidden,
        404 => ProblemTypes.NotFound,
        405 => ProblemTypes.MethodNotAllowed,
        406 => ProblemTypes.NotAcceptable,
        413 => ProblemTypes.BodyTooLarge,
        415 => ProblemTypes.UnsupportedMediaType,
        429 => ProblemTypes.RateLimited,
        503 => ProblemTypes.Unavailable,
        >= 500 => ProblemTypes.Internal,
        _ => ProblemTypes.MalformedRequest,
    };
}
