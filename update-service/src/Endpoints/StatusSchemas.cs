using Microsoft.OpenApi;
using Optiks.Protocol;
using Optiks.ServiceDefaults;
using Optiks.Storage;

namespace Optiks.UpdateService.Endpoints;

/// <summary>Defines the schemas of a request's status.</summary>
internal static class StatusSchemas
{
    public const string Status = "Status";

    /// <summary>Adds the schemas to a document.</summary>
    public static void AddTo(ApiSchemas schemas)
    {
        schemas.Add("PendingStatus", ApiSchemas.ObjectOf("The request waits for its epoch.", ["request_id", "status"], new()
        {
            ["request_id"] = schemas.Ref(UpdateSchemas.RequestId),
            ["status"] = ApiSchemas.Choice("Waits.", "pending"),
        }));
        schemas.Add("PublishedItem", ApiSchemas.ObjectOf("The version that an item became.", ["item", "structure", "version", "period"], new()
        {
            ["item"] = ApiSchemas.WholeNumber("Its number in the request. In a request about a user, 0 is the device list; usernames, devices and the decommission follow."),
            ["structure"] = ApiSchemas.Choice("The structure of the key.", Structures.Names),
            ["key_b64"] = ApiSchemas.Octets("The key; absent if it has since been erased, or if a token asks about an item that is not known to belong to its user."),
            ["version"] = ApiSchemas.WholeNumber("The version that it became; 0 for a username and a decommission."),
            ["period"] = ApiSchemas.WholeNumber("That version's time period."),
        }));
        schemas.Add("ProofLink", ApiSchemas.ObjectOf("How to ask a query-service for the proof.", ["method", "href", "epoch"], new()
        {
            ["method"] = ApiSchemas.Choice("HTTP method.", "POST"),
            ["href"] = ApiSchemas.Text("Path to send the key or the username to."),
            ["epoch"] = ApiSchemas.Text("Path of the epoch's record."),
        }));
        OpenApiSchema published = ApiSchemas.ObjectOf("The request is published: signed and on the board.", ["request_id", "status", "epoch", "items", "proof"], new()
        {
            ["request_id"] = schemas.Ref(UpdateSchemas.RequestId),
            ["status"] = ApiSchemas.Choice("Is published.", "published"),
            ["epoch"] = ApiSchemas.WholeNumber("The epoch; a reader requires it with `min_epoch`."),
            ["items"] = ApiSchemas.List(schemas.Ref("PublishedItem"), Limits.ItemsPerRequest, "In the order of their numbers; the device list is among them if it got a version."),
            ["proof"] = schemas.Ref("ProofLink"),
        });
        OpenApiSchema refused = ApiSchemas.ObjectOf("The request was refused when its turn came; no part of it was applied.", ["request_id", "status", "reason", "item", "current"], new()
        {
            ["request_id"] = schemas.Ref(UpdateSchemas.RequestId),
            ["status"] = ApiSchemas.Choice("The request was refused.", "refused"),
            ["reason"] = ApiSchemas.Choice("Why it was refused.", RefusalNames.All),
            ["item"] = ApiSchemas.WholeNumber("The first item that the refusal is about."),
            ["current"] = schemas.Ref("Version"),
        });
        schemas.Add("PublishedStatus", published);
        schemas.Add("RefusedStatus", refused);
        // The union has the members of all three states, for languages without unions.
        var members = new Dictionary<string, IOpenApiSchema>
        {
            ["request_id"] = schemas.Ref(UpdateSchemas.RequestId),
            ["status"] = ApiSchemas.Choice("The status.", "pending", "published", "refused"),
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
            Description = "The status of a request.",
            Required = new HashSet<string> { "request_id", "status" },
            Properties = members,
            AnyOf = [schemas.Ref("PendingStatus"), schemas.Ref("PublishedStatus"), schemas.Ref("RefusedStatus")],
        });
    }
}
