using System.Text.Json.Nodes;
using Microsoft.OpenApi;
using Optiks.Protocol;
using Optiks.QueryService.Answers;

namespace Optiks.QueryService.Endpoints;

/// <summary>Descriptions say for the OpenAPI document what endpoints take and give. Bodies are read and written by hand, so nothing can be inferred from signatures.</summary>
internal static class Descriptions
{
    private const string SpecNote = "Structures: docs/spec. The binary form alone is verified.";

    /// <summary>Describe gives a summary, the answer's media types and the form of errors.</summary>
    public static RouteHandlerBuilder Describe(this RouteHandlerBuilder endpoint, string summary, string? binary = null)
    {
        string[] types = binary is null ? [] : [binary];
        endpoint.WithSummary(summary).WithDescription(SpecNote)
            .Produces(StatusCodes.Status200OK, typeof(void), MediaTypes.Json, types)
            .ProducesProblem(StatusCodes.Status400BadRequest).ProducesProblem(StatusCodes.Status503ServiceUnavailable);
        return endpoint;
    }

    /// <summary>TakesQueries describes a body of queries.</summary>
    public static RouteHandlerBuilder TakesQueries(this RouteHandlerBuilder endpoint) => endpoint.AddOpenApiOperationTransformer((operation, _, _) =>
    {
        operation.RequestBody = new OpenApiRequestBody
        {
            Required = true,
            Description = $"One query, or a list of 1 to {QueryBatch.MaxCount}.",
            Content = new Dictionary<string, OpenApiMediaType>
            {
                [MediaTypes.Json] = new() { Schema = QuerySchema(), Example = JsonNode.Parse("""{"key": "alice@example.org"}""") },
                [MediaTypes.Query] = new() { Schema = new OpenApiSchema { Type = JsonSchemaType.String, Format = "binary" } },
            },
        };
        return Task.CompletedTask;
    });

    /// <summary>TakesCheckpointSize describes the parameter.</summary>
    public static RouteHandlerBuilder TakesCheckpointSize(this RouteHandlerBuilder endpoint) =>
        endpoint.TakesParameter(CheckpointSize.Parameter, false, "Size of the checkpoint that the client keeps; 0 or absent: none.");

    /// <summary>TakesParameter describes a parameter of the query string.</summary>
    public static RouteHandlerBuilder TakesParameter(this RouteHandlerBuilder endpoint, string name, bool isRequired, string description) =>
        endpoint.AddOpenApiOperationTransformer((operation, _, _) =>
        {
            operation.Parameters ??= [];
            operation.Parameters.Add(new OpenApiParameter
            {
                Name = name,
                In = ParameterLocation.Query,
                Required = isRequired,
                Description = description,
                Schema = new OpenApiSchema { Type = JsonSchemaType.String },
            });
            return Task.CompletedTask;
        });

    private static OpenApiSchema QuerySchema()
    {
        OpenApiSchema text = new() { Type = JsonSchemaType.String };
        OpenApiSchema number = new() { Type = JsonSchemaType.Integer };
        return new OpenApiSchema
        {
            Type = JsonSchemaType.Object,
            Description = "Exactly one of key and key_b64. Lookup takes known, history and monitor take from.",
            Properties = new Dictionary<string, IOpenApiSchema>
            {
                ["key"] = text,
                ["key_b64"] = text,
                ["from"] = number,
                ["known"] = new OpenApiSchema
                {
                    Type = JsonSchemaType.Object,
                    Properties = new Dictionary<string, IOpenApiSchema> { ["period"] = number, ["version"] = number },
                },
            },
        };
    }
}
