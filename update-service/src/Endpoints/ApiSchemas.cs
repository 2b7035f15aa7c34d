using System.Globalization;
using Microsoft.OpenApi;
using Optiks.ServiceDefaults;
using Optiks.Storage;
using Optiks.UpdateService.Requests;

namespace Optiks.UpdateService.Endpoints;

/// <summary>
/// ApiSchemas are the shapes of requests and answers for the OpenAPI document. Requests are read by hand (<see cref="UpdateRequestParser"/>), with rules that no C# type shows, so
/// the schemas are written by hand too.
/// </summary>
internal static class ApiSchemas
{
    public const string Updates = "Updates";
    public const string Accepted = "Accepted";
    public const string Status = "Status";
    public const string Problem = "Problem";

    private const string MaxInteger = "9007199254740991";
    private const string Base64UrlPattern = "^[A-Za-z0-9_-]*$";

    /// <summary>AddTo adds the schemas to a document's components.</summary>
    public static void AddTo(OpenApiDocument document)
    {
        IOpenApiSchema Ref(string name) => new OpenApiSchemaReference(name, document);
        document.AddComponent("Version", Object("A version of a key; version 0: none yet.", ["period", "version"], new() { ["period"] = Integer(), ["version"] = Integer() }));
        document.AddComponent("Update", Update("One update of one key.", Ref, new() { ["request_id"] = RequestId() }));
        document.AddComponent("Item", Update("An update in an atomic request.", Ref, []));
        document.AddComponent("AtomicUpdate", Object("Updates of several keys, all in one epoch or none.", ["items"], new()
        {
            ["request_id"] = RequestId(),
            ["items"] = List(Ref("Item"), Limits.ItemsPerRequest, "No key twice."),
        }));
        document.AddComponent(Updates, OneOf("One update, an atomic request, or a list of these, accepted whole or not at all.", [
            Ref("Update"), Ref("AtomicUpdate"), List(OneOf(null, [Ref("Update"), Ref("AtomicUpdate")]), UpdateRequestParser.MaxListLength, "Applied in order."),
        ]));
        document.AddComponent("AcceptedUpdate", Object("A durable request.", ["request_id", "status", "status_url"], new()
        {
            ["request_id"] = RequestId(),
            ["status"] = Constant("pending"),
            ["status_url"] = Text("Path to ask for the status."),
        }));
        document.AddComponent(Accepted, OneOf("A list for a list.", [Ref("AcceptedUpdate"), List(Ref("AcceptedUpdate"), UpdateRequestParser.MaxListLength, "In the order of the request.")]));
        AddStatus(document, Ref);
        document.AddComponent(Problem, ProblemSchema());
    }

    private static void AddStatus(OpenApiDocument document, Func<string, IOpenApiSchema> reference)
    {
        document.AddComponent("PendingStatus", Object("Waits for its epoch.", ["request_id", "status"], new() { ["request_id"] = RequestId(), ["status"] = Constant("pending") }));
        document.AddComponent("PublishedItem", Object("What an item became.", ["item", "version", "period"], new()
        {
            ["item"] = Integer("Its place in the request."),
            ["key_b64"] = Octets("The key; absent when it was erased since."),
            ["version"] = Integer(),
            ["period"] = Integer(),
        }));
        document.AddComponent("PublishedStatus", Object("Signed and on the board.", ["request_id", "status", "epoch", "items", "proof"], new()
        {
            ["request_id"] = RequestId(),
            ["status"] = Constant("published"),
            ["epoch"] = Integer(),
            ["items"] = List(reference("PublishedItem"), Limits.ItemsPerRequest, "In the order of the request."),
            ["proof"] = Object("How to ask a query-service for the proof.", ["method", "href", "epoch"], new()
            {
                ["method"] = Constant("POST"),
                ["href"] = Text("Path to send the key to."),
                ["epoch"] = Text("Path of the epoch's record."),
            }),
        }));
        document.AddComponent("RefusedStatus", Object("Refused when its turn came; nothing of it was applied.", ["request_id", "status", "reason", "item", "current"], new()
        {
            ["request_id"] = RequestId(),
            ["status"] = Constant("refused"),
            ["reason"] = Constant("expected-version"),
            ["item"] = Integer("The item at fault."),
            ["current"] = reference("Version"),
        }));
        document.AddComponent(Status, OneOf(null, [reference("PendingStatus"), reference("PublishedStatus"), reference("RefusedStatus")]));
    }

    private static OpenApiSchema Update(string description, Func<string, IOpenApiSchema> reference, Dictionary<string, IOpenApiSchema> first)
    {
        OpenApiSchema update = Object(description, [], new(first)
        {
            ["key"] = Text("The key as UTF-8 text, 1 to 255 octets or the log's max_key_len."),
            ["key_b64"] = Octets("The key as octets."),
            ["value"] = Text("The value as UTF-8 text, at most the log's max_value_len octets."),
            ["value_b64"] = Octets("The value as octets."),
            ["expected"] = reference("Version"),
        });
        update.AllOf = [OneOf(null, [Requires("key"), Requires("key_b64")]), OneOf(null, [Requires("value"), Requires("value_b64")])];
        return update;
    }

    private static OpenApiSchema ProblemSchema()
    {
        OpenApiSchema problem = Object("Problem details (RFC 9457).", ["type", "title", "status", "detail", "trace_id"], new()
        {
            ["type"] = new OpenApiSchema { Type = JsonSchemaType.String, Enum = [.. ProblemTypes.All.Select(type => type.Urn)] },
            ["title"] = Text("What the type means."),
            ["status"] = Integer("The HTTP status."),
            ["detail"] = Text("What happened this time."),
            ["field"] = Text("JSON path of the field at fault, if it is one."),
            ["trace_id"] = Text("To quote in a report."),
        });
        return problem;
    }

    private static OpenApiSchema Object(string description, HashSet<string> required, Dictionary<string, IOpenApiSchema> properties) => new()
    {
        Type = JsonSchemaType.Object,
        Description = description,
        Required = required,
        Properties = properties,
        AdditionalPropertiesAllowed = false,
    };

    private static OpenApiSchema Requires(string member) => new() { Required = new HashSet<string> { member } };

    private static OpenApiSchema OneOf(string? description, IList<IOpenApiSchema> schemas) => new() { Description = description, OneOf = schemas };

    private static OpenApiSchema List(IOpenApiSchema element, int maxItems, string description) =>
        new() { Type = JsonSchemaType.Array, Items = element, MinItems = 1, MaxItems = maxItems, Description = description };

    private static OpenApiSchema RequestId() => new() { Type = JsonSchemaType.String, Format = "uuid", Description = "A UUID of version 7." };

    private static OpenApiSchema Text(string description) => new() { Type = JsonSchemaType.String, Description = description };

    private static OpenApiSchema Octets(string description) => new() { Type = JsonSchemaType.String, Pattern = Base64UrlPattern, Description = description + " base64url without padding." };

    private static OpenApiSchema Integer(string? description = null) =>
        new() { Type = JsonSchemaType.Integer, Format = "int64", Minimum = 0.ToString(CultureInfo.InvariantCulture), Maximum = MaxInteger, Description = description };

    private static OpenApiSchema Constant(string value) => new() { Type = JsonSchemaType.String, Const = value };
}
