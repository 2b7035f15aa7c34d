using System.Text.Json.Nodes;
using Microsoft.OpenApi;
using Optiks.Protocol;
using Optiks.QueryService.Answers;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Endpoints;

/// <summary>Defines the schemas of queries, and of answers as <see cref="AnswerJson"/> renders them.</summary>
internal static partial class QuerySchemas
{
    public const string Number = "Number";
    public const string Range = "Range";
    public const string Level = "Level";
    public const string Index = "Index";
    public const string Width = "Width";
    public const string Note = "Note";
    public const string LookupQueries = "LookupQueries";
    public const string VersionsQueries = "VersionsQueries";
    public const string LookupAnswer = "LookupAnswer";
    public const string VersionsAnswer = "VersionsAnswer";
    public const string Head = "Head";
    public const string Record = "Record";
    public const string AuditProof = "AuditProof";
    public const string Configuration = "Configuration";

    public const string Cosignatures = "Cosignatures";
    public const string PeriodsAnswer = "PeriodsAnswer";

    /// <summary>Adds the schemas to a document.</summary>
    public static void AddTo(ApiSchemas schemas)
    {
        AddParameters(schemas);
        AddQueries(schemas);
        AddUserQueries(schemas);
        AddOwnUserQueries(schemas);
        AddRecords(schemas);
        AddAnswers(schemas);
        AddUserAnswers(schemas);
        AddOwnUserAnswers(schemas);
        schemas.Add(PeriodsAnswer, ApiSchemas.ObjectOf("Where periods began and ended.", ["head", "bounds"], new()
        {
            ["head"] = schemas.Ref(Head),
            ["bounds"] = ApiSchemas.List(schemas.Ref("PartRecord"), ProtocolLimits.MaxPeriodBounds, "Records of the periods' first and last epochs, by epoch."),
        }));
        schemas.Add("AddedLeaf", ApiSchemas.ObjectOf("A leaf that was added.", ["label", "commitment", "offset"], new()
        {
            ["label"] = ApiSchemas.Octets("Label."),
            ["commitment"] = ApiSchemas.Octets("Commitment to the value."),
            ["offset"] = ApiSchemas.WholeNumber("Epochs between the range's first one and the leaf's."),
        }));
        schemas.Add("AppendProof", ApiSchemas.ObjectOf("Proof that one tree only grew.", ["leaves", "opened"], new()
        {
            ["leaves"] = ApiSchemas.Any(schemas.Ref("AddedLeaf"), "In increasing order of their labels."),
            ["opened"] = ApiSchemas.Octets("Opened nodes, docs/spec/proofs.md section 5."),
        }));
        schemas.Add(AuditProof, ApiSchemas.ObjectOf("Proof that the trees only grew.", ["records", "structures"], new()
        {
            ["records"] = ApiSchemas.List(schemas.Ref(Record), Protocol.AuditProof.MaxEpochs + 1, "The records of all epochs of the range, its start first."),
            ["structures"] = ArrayOf(schemas.Ref("AppendProof")),
        }));
        schemas.Add(Configuration, ConfigurationSchema());
        schemas.Add(Cosignatures, ApiSchemas.ObjectOf("The cosigned checkpoints.", ["checkpoints"], new()
        {
            ["checkpoints"] = ApiSchemas.Any(schemas.Ref(Note), "The newest checkpoint of each cosigner, with the log's signature and the cosigner's."),
        }));
    }

    private static void AddParameters(ApiSchemas schemas)
    {
        schemas.Add(Number, ApiSchemas.WholeNumber("A decimal number without leading zeros."));
        schemas.Add(Range, Pattern("An epoch, or two epochs.", "^(0|[1-9][0-9]*)(-(0|[1-9][0-9]*))?$"));
        schemas.Add(Level, new OpenApiSchema { Type = JsonSchemaType.Integer, Minimum = "0", Maximum = "63" });
        schemas.Add(Index, Pattern("Three digits.", "^[0-9]{3}$"));
        schemas.Add(Width, new OpenApiSchema { Type = JsonSchemaType.Integer, Minimum = "1", Maximum = "255" });
        schemas.Add(Note, ApiSchemas.Text("A C2SP signed note, UTF-8."));
    }

    private static void AddQueries(ApiSchemas schemas)
    {
        OpenApiSchema query(string description, string member, IOpenApiSchema schema) => ApiSchemas.RequireOneOf(
            ApiSchemas.ObjectOf(description + " Exactly one of key and key_b64.", [], new()
            {
                ["key"] = ApiSchemas.Text("The key as UTF-8 text, 1 to 255 octets or the log's max_key_len."),
                ["key_b64"] = ApiSchemas.Octets("The key as octets."),
                [member] = schema,
            }),
            ("key", "key_b64"));
        void add(string one, string all, string description, string member, IOpenApiSchema schema)
        {
            schemas.Add(one, query(description, member, schema));
            schemas.Add(all, ApiSchemas.AnyOf("One query, or a list of them.", schemas.Ref(one), ApiSchemas.List(schemas.Ref(one), QueryBatch.MaxCount, "Answered in this order.")));
        }
        schemas.Add("KnownVersion", ApiSchemas.ObjectOf("A version of the key that the client verified.", ["period", "version"], new()
        {
            ["period"] = ApiSchemas.WholeNumber("Its time period."),
            ["version"] = ApiSchemas.WholeNumber("Its number; 0: none."),
        }));
        add("LookupQuery", LookupQueries, "A key to look up.", "known", schemas.Ref("KnownVersion"));
        add("VersionsQuery", VersionsQueries, "A key whose versions to list.", "from", ApiSchemas.WholeNumber("First version to list; 1 if absent.", 1));
    }

    private static void AddRecords(ApiSchemas schemas)
    {
        schemas.Add("Structure", ApiSchemas.ObjectOf("One tree.", ["root", "count", "vrf_public_key"], new()
        {
            ["root"] = ApiSchemas.Octets("Its root."),
            ["count"] = ApiSchemas.WholeNumber("The number of its leaves."),
            ["vrf_public_key"] = ApiSchemas.Octets("Its VRF public key."),
        }));
        schemas.Add(Record, ApiSchemas.ObjectOf("An epoch's record, decoded.", ["format", "log_id", "epoch", "period", "period_first_epoch", "time_ms", "structures", "previous"], new()
        {
            ["format"] = ApiSchemas.WholeNumber("Format of the record."),
            ["log_id"] = ApiSchemas.Octets("The log's id."),
            ["epoch"] = ApiSchemas.WholeNumber("The epoch."),
            ["period"] = ApiSchemas.WholeNumber("Its time period."),
            ["period_first_epoch"] = ApiSchemas.WholeNumber("First epoch of that period."),
            ["time_ms"] = ApiSchemas.WholeNumber("Unix time in milliseconds."),
            ["structures"] = ArrayOf(schemas.Ref("Structure")),
            ["previous"] = ApiSchemas.Octets("Hash of the previous record."),
        }));
        schemas.Add(Head, ApiSchemas.ObjectOf("The record of an answer's epoch, and the proofs that tie it to a checkpoint.", ["record", "record_fields", "inclusion", "consistency", "checkpoint"], new()
        {
            ["record"] = ApiSchemas.Octets("The epoch's record."),
            ["record_fields"] = schemas.Ref(Record),
            ["inclusion"] = ApiSchemas.Octets("Inclusion proof of the record, hashes of 32 octets."),
            ["consistency"] = ApiSchemas.Octets("Consistency proof from the checkpoint that the client named."),
            ["checkpoint"] = ApiSchemas.Octets("The checkpoint; empty: the one that the client named."),
        }));
    }

    private static void AddAnswers(ApiSchemas schemas)
    {
        schemas.Add("Path", ApiSchemas.ObjectOf("The siblings on the path from a node to the tree's root.", ["mask", "siblings"], new()
        {
            ["mask"] = ApiSchemas.Octets("Depths that have a sibling, one bit each."),
            ["siblings"] = ApiSchemas.Octets("Their hashes, of 32 octets."),
        }));
        schemas.Add("Member", ApiSchemas.ObjectOf("A version that exists.", ["vrf_proof", "epoch", "kind", "path"], new()
        {
            ["vrf_proof"] = ApiSchemas.Octets("Proof of the label."),
            ["epoch"] = ApiSchemas.WholeNumber("Epoch of the leaf."),
            ["kind"] = Kind("0: committed, 1: opened.", 0, 1),
            ["opening"] = ApiSchemas.Octets("Opened: opening of the commitment."),
            ["value_b64"] = ApiSchemas.Octets("Opened: the value."),
            ["value"] = ApiSchemas.Text("Opened: the value, where it is text without control characters."),
            ["commitment"] = ApiSchemas.Octets("Committed: the commitment."),
            ["path"] = schemas.Ref("Path"),
        }));
        schemas.Add("NonMember", ApiSchemas.ObjectOf("A version that does not exist.", ["vrf_proof", "node"], new()
        {
            ["vrf_proof"] = ApiSchemas.Octets("Proof of the label."),
            ["node"] = Kind("The node where the version would be: 0: none, as the tree is empty; 1: an interior node; 2: a leaf.", 0, 1, 2),
            ["length"] = ApiSchemas.WholeNumber("Interior node: bits of its prefix."),
            ["prefix"] = ApiSchemas.Octets("Interior node: its prefix."),
            ["left"] = ApiSchemas.Octets("Interior node: its left hash."),
            ["right"] = ApiSchemas.Octets("Interior node: its right hash."),
            ["label"] = ApiSchemas.Octets("Leaf: its label."),
            ["commitment"] = ApiSchemas.Octets("Leaf: its commitment."),
            ["epoch"] = ApiSchemas.WholeNumber("Leaf: its epoch."),
            ["path"] = schemas.Ref("Path"),
        }));
        schemas.Add("Lookup", ApiSchemas.ObjectOf("The latest version of a key, or the proof that it has none.", ["version", "members", "absent"], new()
        {
            ["version"] = ApiSchemas.WholeNumber("Its latest version; 0: it has none."),
            ["members"] = ApiSchemas.Any(schemas.Ref("Member"), "Versions of the ladder, the latest one opened."),
            ["absent"] = ApiSchemas.Any(schemas.Ref("NonMember"), "Later versions of the ladder, none of which exists."),
        }));
        schemas.Add("Versions", ApiSchemas.ObjectOf("Versions of a key.", ["version", "from", "members", "absent"], new()
        {
            ["version"] = ApiSchemas.WholeNumber("Its latest version; 0: it has none."),
            ["from"] = ApiSchemas.WholeNumber("First version listed.", 1),
            ["members"] = ApiSchemas.Any(schemas.Ref("Member"), "Versions from there on; an erased version shows its commitment only."),
            ["absent"] = ApiSchemas.Any(schemas.Ref("NonMember"), "Versions that do not exist; empty: there are more pages."),
        }));
        schemas.Add(LookupAnswer, Answer("lookups", ApiSchemas.List(schemas.Ref("Lookup"), QueryBatch.MaxCount, "In the order of the queries."), schemas));
        schemas.Add(VersionsAnswer, Answer("versions", ApiSchemas.List(schemas.Ref("Versions"), QueryBatch.MaxCount, "In the order of the queries."), schemas));
    }

    private static OpenApiSchema ConfigurationSchema()
    {
        var members = new Dictionary<string, IOpenApiSchema>
        {
            ["configuration"] = ApiSchemas.Octets("The configuration."),
            ["log_key"] = ApiSchemas.Text("Verifier key of the log's signatures, as C2SP writes it."),
            ["log_id"] = ApiSchemas.Octets("Hash of the configuration and the key."),
            ["origin"] = ApiSchemas.Text("Origin of the checkpoints."),
        };
        foreach (string number in (string[])[
            "format", "suite", "period_length_ms", "retained_periods", "username_reuse", "max_key_len", "max_value_len", "max_devices", "heartbeat_ms", "max_ahead_ms", "max_behind_ms", "username_form"])
        {
            members[number] = ApiSchemas.WholeNumber("Field of the configuration, docs/spec/records.md section 1.");
        }
        return ApiSchemas.ObjectOf("The log's configuration and key.", [.. members.Keys], members);
    }

    private static OpenApiSchema Answer(string member, OpenApiSchema elements, ApiSchemas schemas) =>
        ApiSchemas.ObjectOf("Answers to queries.", ["head", member], new() { ["head"] = schemas.Ref(Head), [member] = elements });

    private static OpenApiSchema ArrayOf(IOpenApiSchema element) => new()
    {
        Type = JsonSchemaType.Array,
        Items = element,
        MinItems = Structures.Count,
        MaxItems = Structures.Count,
        Description = $"In the order {string.Join(", ", Structures.Names.SkipLast(1))} and {Structures.Names[^1]}.",
    };

    private static OpenApiSchema Pattern(string description, string pattern) => new() { Type = JsonSchemaType.String, Pattern = pattern, Description = description };

    private static OpenApiSchema Kind(string description, params IEnumerable<int> values) =>
        new() { Type = JsonSchemaType.Integer, Enum = [.. values.Select(value => (JsonNode)value)], Description = description };
}
