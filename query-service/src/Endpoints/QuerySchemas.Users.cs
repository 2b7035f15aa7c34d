using Optiks.Protocol;
using Optiks.QueryService.Answers;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Endpoints;

internal static partial class QuerySchemas
{
    public const string UserQueries = "UserQueries";
    public const string UserLookupAnswer = "UserLookupAnswer";
    public const string UserMonitorQuery = "UserMonitorQuery";
    public const string UserMonitorAnswer = "UserMonitorAnswer";

    private static void AddUserQueries(ApiSchemas schemas)
    {
        schemas.Add("KnownKey", ApiSchemas.RequireOneOf(
            ApiSchemas.ObjectOf("A version of a device's key that the client verified. Exactly one of device and device_b64.", ["version"], new()
            {
                ["device"] = ApiSchemas.Text("The device id as UTF-8 text."),
                ["device_b64"] = ApiSchemas.Octets("The device id as octets."),
                ["version"] = ApiSchemas.WholeNumber("Its number.", 1),
            }),
            ("device", "device_b64")));
        schemas.Add("KnownUser", ApiSchemas.ObjectOf("What the client knows of the user. Give the period if there is a version, and only then.", [], new()
        {
            ["user"] = ApiSchemas.True("The client knows the user id of the username: the answer leaves out the username's entry."),
            ["period"] = ApiSchemas.WholeNumber("Period of the versions."),
            ["devices"] = ApiSchemas.WholeNumber("Version of the device list; 0: none."),
            ["keys"] = ApiSchemas.List(schemas.Ref("KnownKey"), ProtocolLimits.MaxKnownKeys, "Keys of devices, each once."),
        }));
        schemas.Add("UserQuery", ApiSchemas.RequireOneOf(
            ApiSchemas.ObjectOf("A user to look up. Exactly one of username and username_b64, and at most one of device and device_b64.", [], new()
            {
                ["username"] = ApiSchemas.Text("The username as UTF-8 text, 1 to 255 octets or the log's max_key_len."),
                ["username_b64"] = ApiSchemas.Octets("The username as octets."),
                ["device"] = ApiSchemas.Text("The only device to answer about, as UTF-8 text."),
                ["device_b64"] = ApiSchemas.Octets("The only device to answer about, as octets."),
                ["known"] = schemas.Ref("KnownUser"),
            }),
            ("username", "username_b64")));
        schemas.Add(UserQueries, ApiSchemas.AnyOf(
            "One query, or a list of them.", schemas.Ref("UserQuery"), ApiSchemas.List(schemas.Ref("UserQuery"), QueryBatch.MaxCount, "Answered in this order.")));
    }

    private static void AddOwnUserQueries(ApiSchemas schemas)
    {
        schemas.Add("NamedKey", ApiSchemas.RequireOneOf(
            ApiSchemas.ObjectOf("A named device. Exactly one of device and device_b64.", ["from"], new()
            {
                ["device"] = ApiSchemas.Text("The device id as UTF-8 text."),
                ["device_b64"] = ApiSchemas.Octets("The device id as octets."),
                ["from"] = ApiSchemas.WholeNumber("First version of its key to list.", 1),
            }),
            ("device", "device_b64")));
        schemas.Add(UserMonitorQuery, ApiSchemas.RequireOneOf(
            ApiSchemas.ObjectOf("The client's own user. Exactly one of user and user_b64, and at most one of usernames and usernames_b64.", [], new()
            {
                ["user"] = ApiSchemas.Text("The user id as UTF-8 text."),
                ["user_b64"] = ApiSchemas.Octets("The user id as octets."),
                ["usernames"] = ApiSchemas.List(ApiSchemas.Text("A name."), ProtocolLimits.MaxOwnNames, "Names for which to prove that they lead to the user."),
                ["usernames_b64"] = ApiSchemas.List(ApiSchemas.Octets("A name."), ProtocolLimits.MaxOwnNames, "The same as octets."),
                ["period"] = ApiSchemas.WholeNumber("Period of the versions that the client knows."),
                ["from"] = ApiSchemas.WholeNumber("First version of the device list to show; 1 if absent.", 1),
                ["keys"] = ApiSchemas.List(schemas.Ref("NamedKey"), ProtocolLimits.MaxKnownKeys, "Named devices, each once."),
            }),
            ("user", "user_b64")));
    }

    private static void AddOwnUserAnswers(ApiSchemas schemas) =>
        schemas.Add(UserMonitorAnswer, ApiSchemas.ObjectOf("What the log shows the owner of a user.", ["head", "names", "decommissioned"], new()
        {
            ["head"] = schemas.Ref(Head),
            ["names"] = ApiSchemas.Any(schemas.Ref("Entry"), "The entries of the names, in the order of the query."),
            ["decommissioned"] = schemas.Ref("Entry"),
            ["devices"] = schemas.Ref("Versions"),
            ["keys"] = ApiSchemas.Any(schemas.Ref("Versions"), "The versions of the keys of the followed device ids, in increasing order of the ids; left out, like the device list, when the user has left."),
        }));

    private static void AddUserAnswers(ApiSchemas schemas)
    {
        schemas.Add("PartRecord", ApiSchemas.ObjectOf("The record of another epoch.", ["record", "record_fields", "inclusion"], new()
        {
            ["record"] = ApiSchemas.Octets("The epoch's record."),
            ["record_fields"] = schemas.Ref(Record),
            ["inclusion"] = ApiSchemas.Octets("Inclusion proof of the record, hashes of 32 octets."),
        }));
        schemas.Add("Entry", ApiSchemas.ObjectOf("An entry, or the proof that it does not exist.", ["record", "kind"], new()
        {
            ["record"] = ApiSchemas.WholeNumber("The record that it refers to; 0: the head's."),
            ["kind"] = Kind("0: absent, 1: present.", 0, 1),
            ["member"] = schemas.Ref("Member"),
            ["absent"] = schemas.Ref("NonMember"),
        }));
        schemas.Add("VersionedEntry", ApiSchemas.ObjectOf("The latest version of a key.", ["record", "lookup"], new()
        {
            ["record"] = ApiSchemas.WholeNumber("The record that it refers to; 0: the head's."),
            ["lookup"] = schemas.Ref("Lookup"),
        }));
        schemas.Add("ListedDevice", ApiSchemas.ObjectOf("A device of a list.", ["device_b64"], new()
        {
            ["device_b64"] = ApiSchemas.Octets("Its id."),
            ["device"] = ApiSchemas.Text("Its id, where it is text without control characters."),
        }));
        schemas.Add("DeviceListEntry", ApiSchemas.ObjectOf("The latest version of a device list.", ["record", "lookup"], new()
        {
            ["record"] = ApiSchemas.WholeNumber("The record that it refers to; 0: the head's."),
            ["lookup"] = schemas.Ref("Lookup"),
            ["list"] = ApiSchemas.Any(schemas.Ref("ListedDevice"), "The devices, decoded; left out when the list is known."),
        }));
        schemas.Add("Generations", ApiSchemas.ObjectOf("All users that a username led to, of which all but the last have left.", ["record", "names", "left"], new()
        {
            ["record"] = ApiSchemas.WholeNumber("The record that the names refer to; 0: the head's."),
            ["names"] = schemas.Ref("Versions"),
            ["left"] = ApiSchemas.Any(schemas.Ref("Entry"), "The entries that show that all users but the last have left, in the users' order."),
        }));
        schemas.Add("UserLookup", ApiSchemas.ObjectOf("What a username leads to.", ["kind"], new()
        {
            ["kind"] = Kind("0: no such user, 1: the user has left, 2: a current user; 4, 5, 6: the same in a log that allows usernames to be reassigned.", 0, 1, 2, 4, 5, 6),
            ["generations"] = schemas.Ref("Generations"),
            ["name"] = schemas.Ref("Entry"),
            ["decommissioned"] = schemas.Ref("Entry"),
            ["devices"] = schemas.Ref("DeviceListEntry"),
            ["keys"] = ApiSchemas.Any(schemas.Ref("VersionedEntry"), "The keys of the devices in the order of the list, or of the only device asked for."),
        }));
        schemas.Add(UserLookupAnswer, ApiSchemas.ObjectOf("Answers to queries about users.", ["head", "parts", "users"], new()
        {
            ["head"] = schemas.Ref(Head),
            ["parts"] = ApiSchemas.Any(schemas.Ref("PartRecord"), "Records of other epochs; empty in the answer of one replica."),
            ["users"] = ApiSchemas.List(schemas.Ref("UserLookup"), QueryBatch.MaxCount, "In the order of the queries."),
        }));
    }
}
