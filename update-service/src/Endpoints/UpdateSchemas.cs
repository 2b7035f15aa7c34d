using System.Globalization;
using Microsoft.OpenApi;
using Optiks.ServiceDefaults;
using Optiks.Storage;
using Optiks.UpdateService.Requests;

namespace Optiks.UpdateService.Endpoints;

/// <summary>UpdateSchemas are the shapes of requests, as <see cref="UpdateRequestParser"/> takes them, and of answers.</summary>
internal static class UpdateSchemas
{
    public const string Updates = "Updates";
    public const string Accepted = "Accepted";
    public const string Status = "Status";
    public const string RequestId = "RequestId";
    public const string Wait = "Wait";

    /// <summary>AddTo adds them to a document.</summary>
    public static void AddTo(ApiSchemas schemas)
    {
        schemas.Add(RequestId, ApiSchemas.Uuid("A UUID of version 7."));
        schemas.Add(Wait, new OpenApiSchema { Type = JsonSchemaType.Integer, Minimum = "0", Maximum = GetUpdate.MaxWaitSeconds.ToString(CultureInfo.InvariantCulture) });
        schemas.Add("Version", ApiSchemas.ObjectOf("A version of a key; version 0: none yet.", ["period", "version"], new()
        {
            ["period"] = ApiSchemas.WholeNumber("Its time period."),
            ["version"] = ApiSchemas.WholeNumber("Its number."),
        }));
        schemas.Add("Update", Update("One update of one key.", schemas, new() { ["request_id"] = schemas.Ref(RequestId) }));
        schemas.Add("Item", Update("An update in an atomic request.", schemas, []));
        schemas.Add("AtomicUpdate", ApiSchemas.ObjectOf("Updates of several keys, all in one epoch or none.", ["items"], new()
        {
            ["request_id"] = schemas.Ref(RequestId),
            ["items"] = ApiSchemas.List(schemas.Ref("Item"), Limits.ItemsPerRequest, "No key twice."),
        }));
        schemas.Add(Updates, ApiSchemas.AnyOf(
            "One update, an atomic request, or a list of these, accepted whole or not at all.",
            schemas.Ref("Update"),
            schemas.Ref("AtomicUpdate"),
            ApiSchemas.List(ApiSchemas.AnyOf(null, schemas.Ref("Update"), schemas.Ref("AtomicUpdate")), UpdateRequestParser.MaxListLength, "Applied in order.")));
        schemas.Add("AcceptedUpdate", ApiSchemas.ObjectOf("A durable request.", ["request_id", "status", "status_url"], new()
        {
            ["request_id"] = schemas.Ref(RequestId),
            ["status"] = ApiSchemas.Choice("Waits for its epoch.", "pending"),
            ["status_url"] = ApiSchemas.Text("Path to ask for the status."),
        }));
        schemas.Add(Accepted, ApiSchemas.AnyOf(
            "A list for a list.",
            schemas.Ref("AcceptedUpdate"),
            ApiSchemas.List(schemas.Ref("AcceptedUpdate"), UpdateRequestParser.MaxListLength, "In the order of the request.")));
        AddStatus(schemas);
    }

    private static void AddStatus(ApiSchemas schemas)
    {
        schemas.Add("PendingStatus", ApiSchemas.ObjectOf("Waits for its epoch.", ["request_id", "status"], new()
        {
            ["request_id"] = schemas.Ref(RequestId),
            ["status"] = ApiSchemas.Choice("Waits.", "pending"),
        }));
        schemas.Add("PublishedItem", ApiSchemas.ObjectOf("What an item became.", ["item", "version", "period"], new()
        {
            ["item"] = ApiSchemas.WholeNumber("Its place in the request."),
            ["key_b64"] = ApiSchemas.Octets("The key; absent when it was erased since."),
            ["version"] = ApiSchemas.WholeNumber("The version that it became."),
            ["period"] = ApiSchemas.WholeNumber("That version's time period."),
        }));
        schemas.Add("ProofLink", ApiSchemas.ObjectOf("How to ask a query-service for the proof.", ["method", "href", "epoch"], new()
        {
            ["method"] = ApiSchemas.Choice("HTTP method.", "POST"),
            ["href"] = ApiSchemas.Text("Path to send the key to."),
            ["epoch"] = ApiSchemas.Text("Path of the epoch's record."),
        }));
        OpenApiSchema published = ApiSchemas.ObjectOf("Signed and on the board.", ["request_id", "status", "epoch", "items", "proof"], new()
        {
            ["request_id"] = schemas.Ref(RequestId),
            ["status"] = ApiSchemas.Choice("Is published.", "published"),
            ["epoch"] = ApiSchemas.WholeNumber("The epoch, which a reader waits for by `min_epoch`."),
            ["items"] = ApiSchemas.List(schemas.Ref("PublishedItem"), Limits.ItemsPerRequest, "In the order of the request."),
            ["proof"] = schemas.Ref("ProofLink"),
        });
        OpenApiSchema refused = ApiSchemas.ObjectOf("Refused when its turn came; nothing of it was applied.", ["request_id", "status", "reason", "item", "current"], new()
        {
            ["request_id"] = schemas.Ref(RequestId),
            ["status"] = ApiSchemas.Choice("Was refused.", "refused"),
            ["reason"] = ApiSchemas.Choice("Why.", "expected-version"),
            ["item"] = ApiSchemas.WholeNumber("The item at fault."),
            ["current"] = schemas.Ref("Version"),
        });
        schemas.Add("PublishedStatus", published);
        schemas.Add("RefusedStatus", refused);
        // With the members of all of them, for languages that have no unions.
        var members = new Dictionary<string, IOpenApiSchema>
        {
            ["request_id"] = schemas.Ref(RequestId),
            ["status"] = ApiSchemas.Choice("Which one it is.", "pending", "published", "refused"),
            ["epoch"] = published.Properties!["epoch"],
            ["items"] = published.Properties["items"],
            ["proof"] = published.Properties["proof"],
            ["reason"] = refused.Properties!["reason"],
            ["item"] = refused.Properties["item"],
            ["current"] = refused.Properties["current"],
        };
        schemas.Add(Status, new OpenApiSchema
        {
            Type = JsonSchemaType.Object,
            Description = "What became of a request.",
            Required = new HashSet<string> { "request_id", "status" },
            Properties = members,
            AnyOf = [schemas.Ref("PendingStatus"), schemas.Ref("PublishedStatus"), schemas.Ref("RefusedStatus")],
        });
    }

    private static OpenApiSchema Update(string description, ApiSchemas schemas, Dictionary<string, IOpenApiSchema> first) => ApiSchemas.RequireOneOf(
        ApiSchemas.ObjectOf(description + " Exactly one of key and key_b64, and of value and value_b64.", [], new(first)
        {
            ["key"] = ApiSchemas.Text("The key as UTF-8 text, 1 to 255 octets or the log's max_key_len."),
            ["key_b64"] = ApiSchemas.Octets("The key as octets."),
            ["value"] = ApiSchemas.Text("The value as UTF-8 text, at most the log's max_value_len octets."),
            ["value_b64"] = ApiSchemas.Octets("The value as octets."),
            ["expected"] = schemas.Ref("Version"),
        }),
        ("key", "key_b64"),
        ("value", "value_b64"));
}
