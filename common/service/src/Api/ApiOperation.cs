using Microsoft.AspNetCore.Builder;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Describes an endpoint. The OpenAPI document is made of these descriptions (<see cref="ApiDocument"/>), and the service refuses
/// parameters without a description (<see cref="UrlParameters"/>), so the document and the service agree. The document derives scopes, rate
/// limits, and their problems from the endpoint's other metadata.
/// </summary>
/// <param name="Id">The name of the operation, for generated clients.</param>
/// <param name="Summary">The operation's effect, in a sentence.</param>
public sealed record ApiOperation(string Id, string Summary)
{
    /// <summary>The path to describe, if OpenAPI cannot express the endpoint's route.</summary>
    public string? Path { get; init; }

    /// <summary>The description beyond the summary.</summary>
    public string? Description { get; init; }

    /// <summary>The parameters of the path and of the query string.</summary>
    public IReadOnlyList<ApiParameter> Parameters { get; init; } = [];

    /// <summary>The body of the request; null if the operation takes no body.</summary>
    public ApiBody? Body { get; init; }

    /// <summary>The answers that are not problems.</summary>
    public required IReadOnlyList<ApiAnswer> Answers { get; init; }

    /// <summary>
    /// The problems that the operation answers with, except problems of every endpoint and problems that follow from its metadata or its
    /// body.
    /// </summary>
    public IReadOnlyList<ProblemType> Problems { get; init; } = [];
}

/// <summary>Describes a parameter of the path or of the query string.</summary>
/// <param name="Name">The parameter's only spelling.</param>
/// <param name="Description">The parameter's meaning.</param>
/// <param name="Schema">The name of the parameter's schema, or null for text.</param>
/// <param name="IsInPath">Whether the parameter is a part of the path instead of the query string.</param>
/// <param name="IsRequired">Whether the parameter is required; parts of the path are always required.</param>
public sealed record ApiParameter(string Name, string Description, string? Schema = null, bool IsInPath = false, bool IsRequired = false);

/// <summary>Describes the body of a request.</summary>
/// <param name="Description">The body's meaning.</param>
/// <param name="Content">The body's forms.</param>
public sealed record ApiBody(string Description, params IReadOnlyList<ApiContent> Content);

/// <summary>Describes one form of a body or an answer.</summary>
/// <param name="MediaType">The form's media type.</param>
/// <param name="Schema">The name of the form's schema; null for bytes.</param>
public sealed record ApiContent(string MediaType, string? Schema = null)
{
    /// <summary>Examples in JSON by name, which the endpoint accepts.</summary>
    public IReadOnlyDictionary<string, string> Examples { get; init; } = new Dictionary<string, string>();
}

/// <summary>Describes one answer of an operation.</summary>
/// <param name="Status">The HTTP status.</param>
/// <param name="Description">When the operation gives this answer.</param>
/// <param name="Content">The answer's forms; empty if the answer has no body.</param>
public sealed record ApiAnswer(int Status, string Description, params IReadOnlyList<ApiContent> Content)
{
    /// <summary>The answer's headers.</summary>
    public IReadOnlyList<ApiHeader> Headers { get; init; } = [];

    /// <summary>The answer to clients that have the entity tag of the content.</summary>
    public static ApiAnswer NotModified { get; } = new(304, "Not modified: the client's If-None-Match names the current entity tag.") { Headers = [ApiHeader.ETag, ApiHeader.CacheControl] };
}

/// <summary>Describes a header of an answer.</summary>
/// <param name="Name">The header's name.</param>
/// <param name="Description">The header's meaning.</param>
public sealed record ApiHeader(string Name, string Description)
{
    public static ApiHeader ETag { get; } = new("ETag", "Entity tag, for If-None-Match.");

    public static ApiHeader CacheControl { get; } = new("Cache-Control", "How long the answer may be cached.");

    public static ApiHeader RetryAfter { get; } = new("Retry-After", "Seconds to wait before trying again.");

    public static ApiHeader Authenticate { get; } = new("WWW-Authenticate", "Bearer.");
}

/// <summary>Attaches descriptions to endpoints.</summary>
public static class ApiOperations
{
    /// <summary>Adds an operation to the endpoint's description; an endpoint with several paths has several operations.</summary>
    public static TBuilder Describe<TBuilder>(this TBuilder endpoint, ApiOperation operation)
        where TBuilder : IEndpointConventionBuilder =>
        endpoint.WithMetadata(operation);
}
