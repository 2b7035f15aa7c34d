using Microsoft.AspNetCore.Builder;

namespace Optiks.ServiceDefaults;

/// <summary>
/// ApiOperation describes an endpoint. The OpenAPI document is made of these (<see cref="ApiDocument"/>), and parameters that stand in none are refused (<see cref="UrlParameters"/>), so
/// that both say the same. What follows from the endpoint's other metadata is added to the document by itself: scopes, rate limits, and their problems.
/// </summary>
/// <param name="Id">Name of the operation, for generated clients.</param>
/// <param name="Summary">What it does, in a sentence.</param>
public sealed record ApiOperation(string Id, string Summary)
{
    /// <summary>Path to describe, when the endpoint's route is not one that OpenAPI can express.</summary>
    public string? Path { get; init; }

    /// <summary>Description beyond the summary.</summary>
    public string? Description { get; init; }

    /// <summary>Parameters of the path and of the query string.</summary>
    public IReadOnlyList<ApiParameter> Parameters { get; init; } = [];

    /// <summary>Body of the request; null: it takes none.</summary>
    public ApiBody? Body { get; init; }

    /// <summary>Answers that are not problems.</summary>
    public required IReadOnlyList<ApiAnswer> Answers { get; init; }

    /// <summary>Problems that it answers with, beside those that follow from its metadata, its body, and those of every endpoint.</summary>
    public IReadOnlyList<ProblemType> Problems { get; init; } = [];
}

/// <summary>ApiParameter is a parameter of the path or of the query string.</summary>
/// <param name="Name">Its only spelling.</param>
/// <param name="Description">What it says.</param>
/// <param name="Schema">Name of its schema, or null for text.</param>
/// <param name="IsInPath">Whether it is a part of the path, or else of the query string.</param>
/// <param name="IsRequired">Whether it must be given; parts of the path always are.</param>
public sealed record ApiParameter(string Name, string Description, string? Schema = null, bool IsInPath = false, bool IsRequired = false);

/// <summary>ApiBody is the body of a request.</summary>
/// <param name="Description">What it says.</param>
/// <param name="Content">Its forms.</param>
public sealed record ApiBody(string Description, params IReadOnlyList<ApiContent> Content);

/// <summary>ApiContent is one form of a body or an answer.</summary>
/// <param name="MediaType">Its media type.</param>
/// <param name="Schema">Name of its schema; null: octets.</param>
public sealed record ApiContent(string MediaType, string? Schema = null)
{
    /// <summary>Examples, JSON by name, which the endpoint takes.</summary>
    public IReadOnlyDictionary<string, string> Examples { get; init; } = new Dictionary<string, string>();
}

/// <summary>ApiAnswer is one answer of an operation.</summary>
/// <param name="Status">HTTP status.</param>
/// <param name="Description">When it is given.</param>
/// <param name="Content">Its forms; none: it has no body.</param>
public sealed record ApiAnswer(int Status, string Description, params IReadOnlyList<ApiContent> Content)
{
    /// <summary>Headers that it has.</summary>
    public IReadOnlyList<ApiHeader> Headers { get; init; } = [];

    /// <summary>NotModified answers those who have the entity tag of what they ask for.</summary>
    public static ApiAnswer NotModified { get; } = new(304, "The client has it: its If-None-Match names the entity tag.") { Headers = [ApiHeader.ETag, ApiHeader.CacheControl] };
}

/// <summary>ApiHeader of an answer.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Description">What it says.</param>
public sealed record ApiHeader(string Name, string Description)
{
    public static ApiHeader ETag { get; } = new("ETag", "Entity tag, for If-None-Match.");

    public static ApiHeader CacheControl { get; } = new("Cache-Control", "How long the answer holds.");

    public static ApiHeader RetryAfter { get; } = new("Retry-After", "Seconds to wait before trying again.");

    public static ApiHeader Authenticate { get; } = new("WWW-Authenticate", "Bearer.");
}

/// <summary>ApiOperations attach descriptions to endpoints.</summary>
public static class ApiOperations
{
    /// <summary>Describe adds an operation to the endpoint's description; an endpoint of several paths has several.</summary>
    public static TBuilder Describe<TBuilder>(this TBuilder endpoint, ApiOperation operation)
        where TBuilder : IEndpointConventionBuilder =>
        endpoint.WithMetadata(operation);
}
