using Optiks.Protocol;
using Optiks.ServiceDefaults;
using Optiks.Storage;
using Optiks.UpdateService.Requests;

namespace Optiks.UpdateService.Endpoints;

/// <summary>Defines the schemas of requests, as <see cref="ErasureRequestParser"/> accepts them, and of answers.</summary>
internal static class ErasureSchemas
{
    public const string Erasures = "Erasures";
    public const string Accepted = "AcceptedErasures";
    public const string Status = "ErasureStatus";

    /// <summary>Adds the schemas to a document.</summary>
    public static void AddTo(ApiSchemas schemas)
    {
        schemas.Add("Erasure", ApiSchemas.ObjectOf("What to erase: exactly one of key, key_b64, user and user_b64; a user without versions is erased entirely, once it has left.", [], new()
        {
            ["request_id"] = schemas.Ref(UpdateSchemas.RequestId),
            ["key"] = ApiSchemas.Text("The key as UTF-8 text."),
            ["key_b64"] = ApiSchemas.Octets("The key as octets."),
            ["user"] = ApiSchemas.Text("The user id as UTF-8 text."),
            ["user_b64"] = ApiSchemas.Octets("The user id as octets."),
            ["period"] = ApiSchemas.WholeNumber("The time period of the versions; give it with them. An erasure in a period other than the current one is refused."),
            ["from"] = ApiSchemas.WholeNumber("First version.", least: 1),
            ["to"] = ApiSchemas.WholeNumber($"Last version, below the latest; {ErasureOrder.MaxValues} versions at most.", least: 1),
        }));
        schemas.Add(Erasures, ApiSchemas.AnyOf(
            "One erasure, or a list of them, accepted whole or not at all.",
            schemas.Ref("Erasure"),
            ApiSchemas.List(schemas.Ref("Erasure"), ProtocolLimits.MaxList, "Done in order.")));
        schemas.Add("AcceptedErasure", ApiSchemas.ObjectOf("A durable request.", ["request_id", "status", "status_url"], new()
        {
            ["request_id"] = schemas.Ref(UpdateSchemas.RequestId),
            ["status"] = ApiSchemas.Choice("The request waits for its epoch.", "pending"),
            ["status_url"] = ApiSchemas.Text("Path to ask for the status."),
        }));
        schemas.Add(Accepted, ApiSchemas.AnyOf(
            "A list if a list was sent.", schemas.Ref("AcceptedErasure"), ApiSchemas.List(schemas.Ref("AcceptedErasure"), ProtocolLimits.MaxList, "In the order of the request.")));
        schemas.Add("ErasedVersion", ApiSchemas.ObjectOf("A version whose value was erased.", ["structure", "period", "version", "epoch"], new()
        {
            ["structure"] = ApiSchemas.Choice("The structure of its key.", Structures.Names),
            ["period"] = ApiSchemas.WholeNumber("Its time period."),
            ["version"] = ApiSchemas.WholeNumber("Its number."),
            ["epoch"] = ApiSchemas.WholeNumber("The epoch that inserted it."),
        }));
        schemas.Add(Status, ApiSchemas.ObjectOf("The status of an erasure; members that do not belong to the status are absent.", ["request_id", "status"], new()
        {
            ["request_id"] = schemas.Ref(UpdateSchemas.RequestId),
            ["status"] = ApiSchemas.Choice("The status.", "pending", "erased", "refused"),
            ["epoch"] = ApiSchemas.WholeNumber("Erased: the epoch that erased the values."),
            ["erased"] = ApiSchemas.Any(schemas.Ref("ErasedVersion"), "Erased: the versions whose values this request erased; versions whose values were gone before are not listed."),
            ["reason"] = ApiSchemas.Choice("Refused: why.", [.. ErasureStatusBody.Reasons]),
            ["current"] = schemas.Ref("Version"),
        }));
    }
}
