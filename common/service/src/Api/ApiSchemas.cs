using System.Globalization;
using System.Text.Json.Nodes;
using Microsoft.OpenApi;

namespace Optiks.ServiceDefaults;

/// <summary>
/// ApiSchemas are the schemas of a document, and the ways to make them. Requests and answers are read and written by hand, with rules that no C# type shows, so their schemas are
/// written by hand too; tests hold them to what the parsers take and what the services answer.
/// </summary>
public sealed class ApiSchemas
{
    /// <summary>Problem is the schema of every error.</summary>
    public const string Problem = "Problem";

    /// <summary>Health is the schema of health answers.</summary>
    public const string Health = "Health";

    private const string MaxInteger = "9007199254740991";
    private const string Base64UrlPattern = "^[A-Za-z0-9_-]*$";

    private readonly OpenApiDocument _document;

    internal ApiSchemas(OpenApiDocument document)
    {
        _document = document;
        Add(Problem, ObjectOf("Problem details (RFC 9457).", ["type", "title", "status", "detail", "trace_id"], new()
        {
            ["type"] = new OpenApiSchema { Type = JsonSchemaType.String, Enum = [.. ProblemTypes.All.Select(type => (JsonNode)type.Urn)] },
            ["title"] = Text("What the type means."),
            ["status"] = WholeNumber("The HTTP status."),
            ["detail"] = Text("What happened this time."),
            ["field"] = Text("The part of the request at fault: `$...`, a JSON path into the body; `?name`, a URL parameter; `{name}`, a part of the path."),
            ["reason"] = Choice("Why a token was refused.", TokenRefusals.All.Select(refusal => refusal.Name)),
            ["trace_id"] = Text("To quote in a report."),
        }));
        OpenApiSchema state() => Choice("Whether it is well.", "healthy", "unhealthy");
        Add("HealthCheck", ObjectOf("One check.", ["status"], new() { ["status"] = state(), ["description"] = Text("Why.") }));
        Add(Health, ObjectOf("Health of the service.", ["status", "checks"], new()
        {
            ["status"] = state(),
            ["checks"] = new OpenApiSchema
            {
                Type = JsonSchemaType.Object,
                Description = "What was looked at, by name.",
                AdditionalProperties = Ref("HealthCheck"),
            },
        }));
    }

    /// <summary>Add a schema under a name.</summary>
    public void Add(string name, OpenApiSchema schema) => _document.AddComponent(name, schema);

    /// <summary>Ref refers to the schema of a name, which may be added later.</summary>
    public IOpenApiSchema Ref(string name) => new OpenApiSchemaReference(name, _document);

    /// <summary>ObjectOf these members: it has no others.</summary>
    public static OpenApiSchema ObjectOf(string description, HashSet<string> required, Dictionary<string, IOpenApiSchema> properties) => new()
    {
        Type = JsonSchemaType.Object,
        Description = description,
        Required = required,
        Properties = properties,
        AdditionalPropertiesAllowed = false,
    };

    /// <summary>
    /// RequireOneOf has an object have exactly one member of each pair. As what it is not, which generators of clients leave alone: by oneOf beside members they lose the members.
    /// </summary>
    public static OpenApiSchema RequireOneOf(OpenApiSchema schema, params IEnumerable<(string First, string Second)> pairs)
    {
        ArgumentNullException.ThrowIfNull(schema);
        schema.Not = new OpenApiSchema
        {
            AnyOf = [.. pairs.SelectMany(pair => (IOpenApiSchema[])
            [
                Requires(pair.First, pair.Second), new OpenApiSchema { Not = new OpenApiSchema { AnyOf = [Requires(pair.First), Requires(pair.Second)] } },
            ])],
        };
        return schema;
    }

    /// <summary>AnyOf these, which exclude each other by what they are: generators of clients understand that, and not oneOf, where a list is among them.</summary>
    public static OpenApiSchema AnyOf(string? description, params IList<IOpenApiSchema> schemas) => new() { Description = description, AnyOf = schemas };

    /// <summary>List of 1 to <paramref name="maxItems"/> elements.</summary>
    public static OpenApiSchema List(IOpenApiSchema element, int maxItems, string description) =>
        new() { Type = JsonSchemaType.Array, Items = element, MinItems = 1, MaxItems = maxItems, Description = description };

    /// <summary>Any number of elements.</summary>
    public static OpenApiSchema Any(IOpenApiSchema element, string description) => new() { Type = JsonSchemaType.Array, Items = element, Description = description };

    /// <summary>Text that is not restricted.</summary>
    public static OpenApiSchema Text(string description) => new() { Type = JsonSchemaType.String, Description = description };

    /// <summary>Uuid of version 7.</summary>
    public static OpenApiSchema Uuid(string description) => new() { Type = JsonSchemaType.String, Format = "uuid", Description = description };

    /// <summary>Octets in base64url.</summary>
    public static OpenApiSchema Octets(string description) =>
        new() { Type = JsonSchemaType.String, Pattern = Base64UrlPattern, Description = description + " base64url without padding." };

    /// <summary>WholeNumber from <paramref name="least"/> to 2^53-1.</summary>
    public static OpenApiSchema WholeNumber(string? description = null, int least = 0) =>
        new() { Type = JsonSchemaType.Integer, Format = "int64", Minimum = least.ToString(CultureInfo.InvariantCulture), Maximum = MaxInteger, Description = description };

    /// <summary>True is a member that is true or left out.</summary>
    public static OpenApiSchema True(string description) => new() { Type = JsonSchemaType.Boolean, Enum = [(JsonNode)true], Description = description };

    /// <summary>Choice of texts.</summary>
    public static OpenApiSchema Choice(string description, params IEnumerable<string> values) =>
        new() { Type = JsonSchemaType.String, Enum = [.. values.Select(value => (JsonNode)value)], Description = description };

    private static OpenApiSchema Requires(params HashSet<string> members) => new() { Required = members };
}
