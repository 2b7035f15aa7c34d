using System.Globalization;
using System.Security.Cryptography;
using System.Text.Json.Nodes;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.OpenApi;
using Optiks.Protocol;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Renders the OpenAPI document at <c>/openapi/v1.json</c> from the <see cref="ApiOperation"/>s of all endpoints: each path, parameter,
/// body, answer, problem and header. The document is rendered once, because endpoints do not change.
/// </summary>
public static class ApiDocument
{
    /// <summary>The path of the document.</summary>
    public const string Path = "/openapi/v1.json";

    private const string ProblemJson = "application/problem+json";
    private const string SecurityScheme = "Bearer";
    private const int TagLength = 18;

    /// <summary>
    /// Adds the endpoint. The callback <paramref name="schemas"/> adds the schemas that the operations name, in addition to the schemas of
    /// problems and health.
    /// </summary>
    public static void MapApiDocument(this WebApplication app, string title, string description, Action<ApiSchemas> schemas)
    {
        ArgumentNullException.ThrowIfNull(app);
        IEndpointRouteBuilder routes = app;
        // The document is rendered at the first request, when all endpoints have been mapped.
        var rendered = new Lazy<Task<byte[]>>(() => RenderAsync(routes.DataSources.SelectMany(source => source.Endpoints).OfType<RouteEndpoint>(), title, description, schemas));
        app.MapRead(Path, async (HttpContext context, CancellationToken cancellation) =>
        {
            byte[] document = await rendered.Value;
            context.Response.Headers.CacheControl = "public, max-age=60";
            if (!Caching.IsKnown(context, Base64UrlText.Encode(SHA256.HashData(document).AsSpan(0, TagLength))))
            {
                context.Response.ContentType = MediaTypes.Json;
                context.Response.ContentLength = document.Length;
                await context.Response.BodyWriter.WriteAsync(document, cancellation);
            }
        }).Describe(new ApiOperation("openapi", "Returns this document.")
        {
            Answers = [new ApiAnswer(200, "The OpenAPI document.", new ApiContent(MediaTypes.Json, "OpenApi")) { Headers = [ApiHeader.ETag, ApiHeader.CacheControl] }, ApiAnswer.NotModified],
        });
    }

    /// <summary>Maps a path for GET and HEAD. The answer to HEAD has no body.</summary>
    public static RouteHandlerBuilder MapRead(this IEndpointRouteBuilder routes, string pattern, Delegate handler) =>
        routes.MapMethods(pattern, [HttpMethods.Get, HttpMethods.Head], handler);

    private static async Task<byte[]> RenderAsync(IEnumerable<RouteEndpoint> endpoints, string title, string description, Action<ApiSchemas> schemas)
    {
        var document = new OpenApiDocument
        {
            Info = new OpenApiInfo
            {
                Title = title,
                Version = "1",
                Description = description + " HEAD answers like GET, without the body. URL parameters that are not described are refused.",
                License = new OpenApiLicense { Name = "MIT", Identifier = "MIT" },
            },
            // This URL is relative to the address from which the document was read.
            Servers = [new OpenApiServer { Url = "/" }],
            Paths = [],
        };
        var all = new ApiSchemas(document);
        all.Add("OpenApi", new OpenApiSchema { Type = JsonSchemaType.Object, Description = "An OpenAPI document." });
        schemas(all);
        document.AddComponent(SecurityScheme, (IOpenApiSecurityScheme)new OpenApiSecurityScheme
        {
            Type = SecuritySchemeType.Http,
            Scheme = "bearer",
            Description = "An API key or a token with the scope that the operation names.",
        });
        foreach (RouteEndpoint endpoint in endpoints)
        {
            foreach (ApiOperation operation in endpoint.Metadata.GetOrderedMetadata<ApiOperation>())
            {
                Add(document, endpoint, operation);
            }
        }
        return System.Text.Encoding.UTF8.GetBytes(await document.SerializeAsJsonAsync(OpenApiSpecVersion.OpenApi3_1) + "\n");
    }

    private static void Add(OpenApiDocument document, RouteEndpoint endpoint, ApiOperation operation)
    {
        string path = operation.Path ?? endpoint.RoutePattern.RawText!;
        if (!document.Paths.TryGetValue(path, out IOpenApiPathItem? item))
        {
            document.Paths.Add(path, item = new OpenApiPathItem());
        }
        IReadOnlyList<string> methods = endpoint.Metadata.GetMetadata<IHttpMethodMetadata>()?.HttpMethods ?? [HttpMethods.Get];
        ((OpenApiPathItem)item).AddOperation(HttpMethod.Parse(methods[0]), Describe(document, endpoint, operation));
    }

    private static OpenApiOperation Describe(OpenApiDocument document, RouteEndpoint endpoint, ApiOperation operation)
    {
        Access? access = endpoint.Metadata.GetMetadata<Access>();
        var described = new OpenApiOperation
        {
            OperationId = operation.Id,
            Summary = operation.Summary,
            Description = string.Join(" ", new[] { operation.Description, access is null ? null : Needed(access) }.OfType<string>()),
            Parameters = operation.Parameters.Count == 0 ? null : [.. operation.Parameters.Select(parameter => (IOpenApiParameter)Describe(document, parameter))],
            Responses = Responses(document, operation, ListProblems(endpoint, operation, access is not null)),
            // An empty list means that no credential is needed.
            Security = access is null ? [] : [new OpenApiSecurityRequirement { [new OpenApiSecuritySchemeReference(SecurityScheme, document)] = [] }],
        };
        if (operation.Body is { } body)
        {
            described.RequestBody = new OpenApiRequestBody { Required = true, Description = body.Description, Content = Content(document, body.Content) };
        }
        return described;
    }

    private static string Needed(Access access) =>
        $"Needs an API key{(access.Tokens == TokenReach.Nothing ? "" : " or a token")} with the scope `{access.ScopeName}`{(access.Tokens == TokenReach.OwnKeys ? "; a token must name each key of the request" : "")}.";

    /// <summary>Returns the problems of an operation, by status and in the order of the specification.</summary>
    private static IEnumerable<IGrouping<int, ProblemType>> ListProblems(RouteEndpoint endpoint, ApiOperation operation, bool isProtected)
    {
        var problems = new HashSet<ProblemType>([.. operation.Problems, ProblemTypes.MalformedRequest, ProblemTypes.Internal]);
        if (isProtected)
        {
            problems.UnionWith([ProblemTypes.Unauthorized, ProblemTypes.Forbidden]);
        }
        if (RateLimits.IsLimited(endpoint))
        {
            problems.Add(ProblemTypes.RateLimited);
        }
        if (operation.Body is not null)
        {
            problems.UnionWith([ProblemTypes.BodyTooLarge, ProblemTypes.UnsupportedMediaType]);
        }
        return ProblemTypes.All.Where(problems.Contains).GroupBy(problem => problem.Status);
    }

    private static OpenApiResponses Responses(OpenApiDocument document, ApiOperation operation, IEnumerable<IGrouping<int, ProblemType>> problems)
    {
        var responses = new OpenApiResponses();
        foreach (ApiAnswer answer in operation.Answers)
        {
            responses.Add(Text(answer.Status), new OpenApiResponse
            {
                Description = answer.Description,
                Content = answer.Content.Count == 0 ? null : Content(document, answer.Content),
                Headers = Headers(answer.Headers),
            });
        }
        foreach (IGrouping<int, ProblemType> same in problems)
        {
            // An operation may have its own answer with the status of a problem: readiness answers 503 with its own body.
            if (operation.Answers.Any(answer => answer.Status == same.Key))
            {
                continue;
            }
            ApiHeader[] headers = same.Key switch
            {
                StatusCodes.Status401Unauthorized => [ApiHeader.Authenticate],
                StatusCodes.Status429TooManyRequests or StatusCodes.Status503ServiceUnavailable => [ApiHeader.RetryAfter],
                _ => [],
            };
            responses.Add(Text(same.Key), new OpenApiResponse
            {
                Description = string.Join(", ", same.Select(problem => $"`{problem.Name}`")),
                Content = Content(document, [new ApiContent(ProblemJson, ApiSchemas.Problem)]),
                Headers = Headers(headers),
            });
        }
        return responses;
    }

    private static OpenApiParameter Describe(OpenApiDocument document, ApiParameter parameter) => new OpenApiParameter
    {
        Name = parameter.Name,
        In = parameter.IsInPath ? ParameterLocation.Path : ParameterLocation.Query,
        Required = parameter.IsInPath || parameter.IsRequired,
        Description = parameter.Description,
        Schema = parameter.Schema is null ? new OpenApiSchema { Type = JsonSchemaType.String } : new OpenApiSchemaReference(parameter.Schema, document),
    };

    private static Dictionary<string, OpenApiMediaType> Content(OpenApiDocument document, IEnumerable<ApiContent> content) =>
        content.ToDictionary(one => one.MediaType, one => new OpenApiMediaType
        {
            Schema = one.Schema is null ? new OpenApiSchema { Type = JsonSchemaType.String, Format = "binary" } : new OpenApiSchemaReference(one.Schema, document),
            Examples = one.Examples.Count == 0 ? null : one.Examples.ToDictionary(example => example.Key, example => (IOpenApiExample)new OpenApiExample { Value = JsonNode.Parse(example.Value) }),
        });

    private static Dictionary<string, IOpenApiHeader>? Headers(IReadOnlyList<ApiHeader> headers) =>
        headers.Count == 0 ? null : headers.ToDictionary(
            header => header.Name, header => (IOpenApiHeader)new OpenApiHeader { Description = header.Description, Schema = new OpenApiSchema { Type = JsonSchemaType.String } });

    private static string Text(int status) => status.ToString(CultureInfo.InvariantCulture);
}
