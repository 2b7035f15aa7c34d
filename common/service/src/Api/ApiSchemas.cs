using System.Globalization;
using System.Text.Json.Nodes;
using Microsoft.OpenApi;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Holds the schemas of a document, and makes new ones. Requests and answers are parsed and written by hand, with rules that no C# type
/// shows, so their schemas are written by hand too. Tests compare them with the parsers' accepted bodies and the services' answers.
/// </summary>
public sealed class ApiSchemas
{
    /// <summary>The schema of every error.</summary>
    public const string Problem = "Problem";

    /// <summary>The schema of health answers.</summary>
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
            ["detail"] = Text("What happened in this request."),
            ["field"] = Text("The part of the request at fault: `$...`, a JSON path into the body; `?name`, a URL parameter; `{name}`, a part of the path."),
            ["reason"] = Choice("Why a token was refused.", TokenRefusals.All.Select(refusal => refusal.Name)),
            ["trace_id"] = Text("The trace id, to quote in a report."),
        }));
        OpenApiSchema state() => Choice("Whether it is healthy.", "healthy", "unhealthy");
        Add("HealthCheck", ObjectOf("One check.", ["status"], new() { ["status"] = state(), ["description"] = Text("The reason.") }));
        Add(Health, ObjectOf("Health of the service.", ["status", "checks"], new()
        {
            ["status"] = state(),
            ["checks"] = new OpenApiSchema
            {
                Type = JsonSchemaType.Object,
                Description = "The checks, by name.",
                AdditionalProperties = Ref("HealthCheck"),
            },
        }));
    }

    /// <summary>Adds a schema under a name.</summary>
    public void Add(string name, OpenApiSchema schema) => _document.AddComponent(name, schema);

    /// <summary>Returns a reference to the schema with this name. The schema may be added later.</summary>
    public IOpenApiSchema Ref(string name) => new OpenApiSchemaReference(name, _document);

    /// <summary>Returns an object with these members and no others.</summary>
    public static OpenApiSchema ObjectOf(string description, HashSet<string> required, Dictionary<string, IOpenApiSchema> properties) => new()
    {
        Type = JsonSchemaType.Object,
        Description = description,
        Required = required,
        Properties = properties,
        AdditionalPropertiesAllowed = false,
    };

    /// <summary>
    /// Requires an object to have exactly one member of each pair. The rule is written with "not", which client generators ignore. They
    /// would lose the members if the rule were a "oneOf" next to them.
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

    /// <summary>
    /// Returns a choice between these schemas, which exclude each other by their types. The choice is written with "anyOf": client
    /// generators do not understand "oneOf" if one of the schemas is a list.
    /// </summary>
    public static OpenApiSchema AnyOf(string? description, params IList<IOpenApiSchema> schemas) => new() { Description = description, AnyOf = schemas };

    /// <summary>Returns a list of 1 to <paramref name="maxItems"/> elements.</summary>
    public static OpenApiSchema List(IOpenApiSchema element, int maxItems, string description) =>
        new() { Type = JsonSchemaType.Array, Items = element, MinItems = 1, MaxItems = maxItems, Description = description };

    /// <summary>Returns a list of any number of elements.</summary>
    public static OpenApiSchema Any(IOpenApiSchema element, string description) => new() { Type = JsonSchemaType.Array, Items = element, Description = description };

    /// <summary>Returns an unrestricted text.</summary>
    public static OpenApiSchema Text(string description) => new() { Type = JsonSchemaType.String, Description = description };

    /// <summary>Returns a UUID of version 7.</summary>
    public static OpenApiSchema Uuid(string description) => new() { Type = JsonSchemaType.String, Format = "uuid", Description = description };

    /// <summary>Returns bytes in base64url.</summary>
    public static OpenApiSchema Octets(string description) =>
        new() { Type = JsonSchemaType.String, Pattern = Base64UrlPattern, Description = description + " base64url without padding." };

    /// <summary>Returns a whole number from <paramref name="least"/> to 2^53-1.</summary>
    public static OpenApiSchema WholeNumber(string? description = null, int least = 0) =>
        new() { Type = JsonSchemaType.Integer, Format = "int64", Minimum = least.ToString(CultureInfo.InvariantCulture), Maximum = MaxInteger, Description = description };

    /// <summary>Returns a member that is true or absent.</summary>
    public static OpenApiSchema True(string description) => new() { Type = JsonSchemaType.Boolean, Enum = [(JsonNode)true], Description = description };

    /// <summary>Returns a choice of texts.</summary>
    public static OpenApiSchema Choice(string description, params IEnumerable<string> values) =>
        new() { Type = JsonSchemaType.String, Enum = [.. values.Select(value => (JsonNode)value)], Description = description };

    private static OpenApiSchema Requires(params HashSet<string> members) => new() { Required = members };
}
