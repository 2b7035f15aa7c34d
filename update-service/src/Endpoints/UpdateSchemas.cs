using System.Globalization;
using Microsoft.OpenApi;
using Optiks.Protocol;
using Optiks.ServiceDefaults;
using Optiks.Storage;
using Optiks.UpdateService.Requests;

namespace Optiks.UpdateService.Endpoints;

/// <summary>
/// Defines the schemas of updates of keys, as <see cref="UpdateRequestParser"/> accepts them, and of the answer to these updates.
/// </summary>
internal static class UpdateSchemas
{
    public const string Updates = "Updates";
    public const string Accepted = "Accepted";
    public const string RequestId = "RequestId";
    public const string Wait = "Wait";

    /// <summary>Adds the schemas to a document.</summary>
    public static void AddTo(ApiSchemas schemas)
    {
        schemas.Add(RequestId, ApiSchemas.Uuid("A UUID of version 7."));
        schemas.Add(Wait, new OpenApiSchema { Type = JsonSchemaType.Integer, Minimum = "0", Maximum = GetUpdate.MaxWaitSeconds.ToString(CultureInfo.InvariantCulture) });
        schemas.Add("Version", ApiSchemas.ObjectOf("A version of a key; version 0: none yet.", ["period", "version"], new()
        {
            ["period"] = ApiSchemas.WholeNumber("Its time period."),
            ["version"] = ApiSchemas.WholeNumber("Its number."),
        }));
        schemas.Add("Update", Update("One update of one key.", schemas, new() { ["request_id"] = schemas.Ref(RequestId), ["receipt"] = WantsReceipt() }));
        schemas.Add("Item", Update("An update in an atomic request.", schemas, []));
        schemas.Add("AtomicUpdate", ApiSchemas.ObjectOf("Updates of several keys, all in one epoch or none.", ["items"], new()
        {
            ["request_id"] = schemas.Ref(RequestId),
            ["receipt"] = WantsReceipt(),
            ["items"] = ApiSchemas.List(schemas.Ref("Item"), Limits.ItemsPerRequest, "The updates, each of a different key."),
        }));
        schemas.Add(Updates, ApiSchemas.AnyOf(
            "One update, an atomic request, or a list of these, accepted whole or not at all.",
            schemas.Ref("Update"),
            schemas.Ref("AtomicUpdate"),
            ApiSchemas.List(ApiSchemas.AnyOf(null, schemas.Ref("Update"), schemas.Ref("AtomicUpdate")), ProtocolLimits.MaxList, "Applied in order.")));
        OpenApiSchema accepted = AcceptedRequest("A durable request.", schemas);
        accepted.Properties!["receipt"] = ApiSchemas.Text("The signed promise to publish the request, as a note; present if it was asked for and could be given.");
        accepted.Properties["receipt_keys"] = ApiSchemas.Text("The note in which the log's key vouches for the receipt's key.");
        schemas.Add("AcceptedUpdate", accepted);
        schemas.Add(Accepted, ApiSchemas.AnyOf(
            "A list if a list was sent.",
            schemas.Ref("AcceptedUpdate"),
            ApiSchemas.List(schemas.Ref("AcceptedUpdate"), ProtocolLimits.MaxList, "In the order of the request.")));
    }

    /// <summary>Returns the schema of one element of the answer to durable requests, with further members.</summary>
    public static OpenApiSchema AcceptedRequest(string description, ApiSchemas schemas, params ReadOnlySpan<(string Name, IOpenApiSchema Schema)> members)
    {
        var all = new Dictionary<string, IOpenApiSchema>
        {
            ["request_id"] = schemas.Ref(RequestId),
            ["status"] = ApiSchemas.Choice("The request waits for its epoch.", "pending"),
            ["status_url"] = ApiSchemas.Text("Path to ask for the status."),
        };
        foreach ((string name, IOpenApiSchema schema) in members)
        {
            all.Add(name, schema);
        }
        return ApiSchemas.ObjectOf(description, [.. all.Keys], all);
    }

    private static OpenApiSchema WantsReceipt() => ApiSchemas.True("Asks for a signed promise to publish the update. Not allowed with an expected version, nor where the service gives no receipts.");

    /// <summary>Returns the schema of a key's value as text.</summary>
    public static OpenApiSchema ValueText() => ApiSchemas.Text("The value as UTF-8 text, at most the log's max_value_len octets.");

    /// <summary>Returns the schema of a key's value as bytes.</summary>
    public static OpenApiSchema ValueOctets() => ApiSchemas.Octets("The value as octets.");

    private static OpenApiSchema Update(string description, ApiSchemas schemas, Dictionary<string, IOpenApiSchema> first) => ApiSchemas.RequireOneOf(
        ApiSchemas.ObjectOf(description + " Exactly one of key and key_b64, and of value and value_b64.", [], new(first)
        {
            ["key"] = ApiSchemas.Text("The key as UTF-8 text, 1 to 255 octets or the log's max_key_len."),
            ["key_b64"] = ApiSchemas.Octets("The key as octets."),
            ["value"] = ValueText(),
            ["value_b64"] = ValueOctets(),
            ["expected"] = schemas.Ref("Version"),
        }),
        ("key", "key_b64"),
        ("value", "value_b64"));
}
