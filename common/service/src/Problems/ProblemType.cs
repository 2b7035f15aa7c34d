using Optiks.Protocol;

namespace Optiks.ServiceDefaults;

/// <summary>Describes one of the fixed kinds of error answers (docs/spec/rest.md section 2).</summary>
/// <param name="Name">The last part of the type's URN.</param>
/// <param name="Status">The HTTP status.</param>
/// <param name="Title">The title, which describes the kind of problem and is the same for every occurrence.</param>
public sealed record ProblemType(string Name, int Status, string Title)
{
    /// <summary>The URN, which is the member <c>type</c> of problem details.</summary>
    public string Urn { get; } = ProblemNames.UrnPrefix + Name;

    /// <summary>Returns the problem type for a status that ASP.NET Core's own components set without problem details.</summary>
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
