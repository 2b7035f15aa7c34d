using Microsoft.OpenApi;
using Optiks.Protocol;
using Optiks.ServiceDefaults;
using Optiks.Storage;
using Optiks.UpdateService.Requests;

namespace Optiks.UpdateService.Endpoints;

/// <summary>Defines the schemas of changes of users, as <see cref="UserRequestParser"/> accepts them.</summary>
internal static class UserSchemas
{
    public const string Users = "Users";
    public const string Accepted = "AcceptedUsers";

    private static readonly string[] s_changes = ["CreateUser", "AddUsername", "AddDevice", "SetDevice", "RemoveDevice", "Decommission"];

    /// <summary>Adds the schemas to a document.</summary>
    public static void AddTo(ApiSchemas schemas)
    {
        schemas.Add("Device", OneOf("A device with its value.", [], new(), [("device", IdText("device"), IdOctets("device")), Value]));
        schemas.Add("CreateUser", OneOf(
            "Creates a user. It must be the first change.",
            [],
            Op(UserOperationRule.Create, ("devices", ApiSchemas.List(schemas.Ref("Device"), Limits.ItemsPerRequest, "The user's first devices, each once; absent: the user has no devices."))),
            [
                (
                    "usernames",
                    ApiSchemas.List(ApiSchemas.Text("A username."), Limits.ItemsPerRequest, "Usernames that lead to the user, as UTF-8 text, each once."),
                    ApiSchemas.List(ApiSchemas.Octets("A username."), Limits.ItemsPerRequest, "The same as octets.")),
            ]));
        schemas.Add("AddUsername", OneOf("Adds a username that leads to the user.", [], Op(UserOperationRule.AddUsername), [("username", IdText("username"), IdOctets("username"))]));
        schemas.Add("AddDevice", OneOf("Adds a device that no user had before.", [], Op(UserOperationRule.AddDevice), [("device", IdText("device"), IdOctets("device")), Value]));
        schemas.Add("SetDevice", OneOf(
            "Gives a device another value.", [], Op(UserOperationRule.SetDevice, ("expected", schemas.Ref("Version"))), [("device", IdText("device"), IdOctets("device")), Value]));
        schemas.Add("RemoveDevice", OneOf("Removes a device permanently.", [], Op(UserOperationRule.RemoveDevice), [("device", IdText("device"), IdOctets("device"))]));
        schemas.Add("Decommission", ApiSchemas.ObjectOf("Says that the user has left, permanently. It must be the only change.", ["op"], Op(UserOperationRule.Decommission)));
        IOpenApiSchema[] changes = [.. s_changes.Select(schemas.Ref)];
        OpenApiSchema list() => ApiSchemas.List(ApiSchemas.AnyOf(null, changes), Limits.ItemsPerRequest, "The changes; each username and each device may occur once.");
        schemas.Add("UserRequest", OneOf(
            "Changes of one user, all in one epoch or none.",
            ["changes"],
            new() { ["request_id"] = schemas.Ref(UpdateSchemas.RequestId), ["changes"] = list() },
            [("user", IdText("user id"), IdOctets("user id"))]));
        schemas.Add("NewUserRequest", ApiSchemas.ObjectOf("Creates a user with an id that the service makes.", ["changes"], new()
        {
            ["request_id"] = schemas.Ref(UpdateSchemas.RequestId),
            ["changes"] = list(),
        }));
        schemas.Add(Users, ApiSchemas.AnyOf(
            "Changes of one user, or a list of these, accepted whole or not at all.",
            schemas.Ref("UserRequest"),
            schemas.Ref("NewUserRequest"),
            ApiSchemas.List(ApiSchemas.AnyOf(null, schemas.Ref("UserRequest"), schemas.Ref("NewUserRequest")), ProtocolLimits.MaxList, "Applied in order.")));
        schemas.Add("AcceptedUser", UpdateSchemas.AcceptedRequest("A durable request about a user.", schemas, ("user_b64", ApiSchemas.Octets("The user's id."))));
        schemas.Add(Accepted, ApiSchemas.AnyOf(
            "A list if a list was sent.", schemas.Ref("AcceptedUser"), ApiSchemas.List(schemas.Ref("AcceptedUser"), ProtocolLimits.MaxList, "In the order of the request.")));
    }

    private static (string Name, OpenApiSchema Text, OpenApiSchema Octets) Value => ("value", UpdateSchemas.ValueText(), UpdateSchemas.ValueOctets());

    private static OpenApiSchema IdText(string what) => ApiSchemas.Text($"The {what} as UTF-8 text, 1 to 255 octets or the log's max_key_len.");

    private static OpenApiSchema IdOctets(string what) => ApiSchemas.Octets($"The {what} as octets.");

    private static Dictionary<string, IOpenApiSchema> Op(UserOperationRule operation, params ReadOnlySpan<(string Name, IOpenApiSchema Schema)> members)
    {
        var all = new Dictionary<string, IOpenApiSchema> { ["op"] = ApiSchemas.Choice("The operation.", operation.Name) };
        foreach ((string name, IOpenApiSchema schema) in members)
        {
            all.Add(name, schema);
        }
        return all;
    }

    // Returns an object with exactly one member of each pair: a name as text, or the name with _b64 as bytes.
    private static OpenApiSchema OneOf(
        string description, HashSet<string> required, Dictionary<string, IOpenApiSchema> members, params (string Name, OpenApiSchema Text, OpenApiSchema Octets)[] pairs)
    {
        if (members.ContainsKey("op"))
        {
            required.Add("op");
        }
        foreach ((string name, OpenApiSchema text, OpenApiSchema octets) in pairs)
        {
            members.Add(name, text);
            members.Add($"{name}_b64", octets);
        }
        return ApiSchemas.RequireOneOf(ApiSchemas.ObjectOf(description, required, members), pairs.Select(pair => (pair.Name, $"{pair.Name}_b64")));
    }
}
