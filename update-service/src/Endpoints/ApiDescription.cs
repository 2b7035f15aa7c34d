using System.Globalization;
using Microsoft.OpenApi;
using Optiks.ServiceDefaults;

namespace Optiks.UpdateService.Endpoints;

/// <summary>ApiDescription is the OpenAPI document at <c>/openapi/v1.json</c>: every endpoint with every answer that it gives.</summary>
internal static class ApiDescription
{
    private const string Json = "application/json";
    private const string ProblemJson = "application/problem+json";
    private const string ApiKeyScheme = "ApiKey";

    public static void AddApiDescription(this WebApplicationBuilder builder) =>
        builder.Services.AddOpenApi("v1", options =>
        {
            options.OpenApiVersion = OpenApiSpecVersion.OpenApi3_1;
            options.AddDocumentTransformer((document, _, _) =>
            {
                document.Info = new OpenApiInfo { Title = "Optiks update-service", Version = "1", Description = "Accepts updates of keys and tells what became of them." };
                // Whoever reads the document knows where it came from.
                document.Servers = [];
                ApiSchemas.AddTo(document);
                document.AddComponent(ApiKeyScheme, (IOpenApiSecurityScheme)new OpenApiSecurityScheme
                {
                    Type = SecuritySchemeType.Http,
                    Scheme = "bearer",
                    Description = "An API key with the scope update.",
                });
                document.Paths.Add("/health/live", Health("live", "Whether the process answers.", canFail: false));
                document.Paths.Add("/health/ready", Health("ready", "Whether the database accepts updates and is not an older copy than the board knows.", canFail: true));
                return Task.CompletedTask;
            });
        });

    public static void MapApiDescription(this IEndpointRouteBuilder app) => app.MapOpenApi();

    public static void DescribePostUpdates(this RouteHandlerBuilder endpoint) =>
        endpoint.AddOpenApiOperationTransformer((operation, context, _) =>
        {
            OpenApiDocument document = context.Document!;
            operation.OperationId = "postUpdates";
            operation.Summary = "Sends updates; answered once they are durable.";
            operation.RequestBody = new OpenApiRequestBody { Required = true, Content = Content(Json, ApiSchemas.Updates, document) };
            var accepted = new OpenApiResponse { Description = "Durable.", Content = Content(Json, ApiSchemas.Accepted, document), Headers = Headers("Location", "Path of the status, unless a list was sent.") };
            operation.Responses = Responses(document, "202", accepted,
            [
                ProblemTypes.MalformedRequest, ProblemTypes.KeyLength, ProblemTypes.ValueLength, ProblemTypes.BatchLength, ProblemTypes.DuplicateKey, ProblemTypes.RequestIdTime,
                ProblemTypes.Unauthorized, ProblemTypes.Forbidden, ProblemTypes.NotAcceptable, ProblemTypes.RequestIdReused, ProblemTypes.BodyTooLarge,
                ProblemTypes.UnsupportedMediaType, ProblemTypes.TooManyPending, ProblemTypes.RateLimited, ProblemTypes.Internal, ProblemTypes.Overloaded, ProblemTypes.Unavailable,
            ]);
            operation.Security = Security(document);
            return Task.CompletedTask;
        });

    public static void DescribeGetUpdate(this RouteHandlerBuilder endpoint) =>
        endpoint.AddOpenApiOperationTransformer((operation, context, _) =>
        {
            OpenApiDocument document = context.Document!;
            operation.OperationId = "getUpdate";
            operation.Summary = "Tells what became of a request.";
            operation.Parameters =
            [
                new OpenApiParameter { Name = "request_id", In = ParameterLocation.Path, Required = true, Schema = new OpenApiSchema { Type = JsonSchemaType.String, Format = "uuid" } },
                new OpenApiParameter
                {
                    Name = "wait",
                    In = ParameterLocation.Query,
                    Description = "Seconds to wait while the request is pending.",
                    Schema = new OpenApiSchema { Type = JsonSchemaType.Integer, Minimum = "0", Maximum = GetUpdate.MaxWaitSeconds.ToString(CultureInfo.InvariantCulture) },
                },
            ];
            var status = new OpenApiResponse { Description = "The status.", Content = Content(Json, ApiSchemas.Status, document) };
            operation.Responses = Responses(document, "200", status,
            [
                ProblemTypes.MalformedRequest, ProblemTypes.Unauthorized, ProblemTypes.Forbidden, ProblemTypes.NotFound, ProblemTypes.NotAcceptable, ProblemTypes.Internal,
                ProblemTypes.RateLimited, ProblemTypes.Unavailable,
            ]);
            operation.Security = Security(document);
            return Task.CompletedTask;
        });

    private static OpenApiResponses Responses(OpenApiDocument document, string status, OpenApiResponse success, IEnumerable<ProblemType> problems)
    {
        var responses = new OpenApiResponses { [status] = success };
        foreach (IGrouping<int, ProblemType> same in problems.GroupBy(problem => problem.Status))
        {
            responses.Add(same.Key.ToString(CultureInfo.InvariantCulture), new OpenApiResponse
            {
                Description = string.Join(", ", same.Select(problem => problem.Name)),
                Content = Content(ProblemJson, ApiSchemas.Problem, document),
                Headers = same.Key is StatusCodes.Status429TooManyRequests or StatusCodes.Status503ServiceUnavailable ? Headers("Retry-After", "Seconds to wait before trying again.") : null,
            });
        }
        return responses;
    }

    private static OpenApiPathItem Health(string name, string summary, bool canFail)
    {
        static OpenApiResponse Answer(string description) => new()
        {
            Description = description,
            Content = new Dictionary<string, OpenApiMediaType> { [Json] = new() { Schema = new OpenApiSchema { Type = JsonSchemaType.Object } } },
        };
        var responses = new OpenApiResponses { ["200"] = Answer("Yes.") };
        if (canFail)
        {
            responses.Add("503", Answer("No, and why."));
        }
        var operation = new OpenApiOperation { OperationId = name, Summary = summary, Responses = responses };
        return new OpenApiPathItem { Operations = new Dictionary<HttpMethod, OpenApiOperation> { [HttpMethod.Get] = operation } };
    }

    private static Dictionary<string, OpenApiMediaType> Content(string mediaType, string schema, OpenApiDocument document) =>
        new() { [mediaType] = new OpenApiMediaType { Schema = new OpenApiSchemaReference(schema, document) } };

    private static Dictionary<string, IOpenApiHeader> Headers(string name, string description) =>
        new() { [name] = new OpenApiHeader { Description = description, Schema = new OpenApiSchema { Type = JsonSchemaType.String } } };

    private static List<OpenApiSecurityRequirement> Security(OpenApiDocument document) =>
        [new OpenApiSecurityRequirement { [new OpenApiSecuritySchemeReference(ApiKeyScheme, document)] = [] }];
}
