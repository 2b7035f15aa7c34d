using Optiks.Protocol;
using Optiks.QueryService.Answers;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Endpoints;

/// <summary>Describes the endpoints (docs/spec/rest.md section 4).</summary>
internal static class QueryApi
{
    public const string Title = "Optiks query-service";

    public const string Description =
        "Answers about keys, epochs and the bulletin board. Verifiers use the binary forms, whose structures are in the specification; JSON is for people and scripts.";

    /// <summary>The name of the parameter that selects the first period of the returned bounds.</summary>
    public const string FromParameter = "from";

    private const string ReadOnly = "It changes nothing; it is a POST because keys and usernames do not belong in URLs.";

    private static readonly ApiParameter s_minEpoch = new(
        ClientPosition.MinEpochParameter, "The answer must be from this epoch or a later one, such as the epoch in the status of an update; a replica that is behind answers `not-caught-up`.",
        QuerySchemas.Number);

    private static readonly ApiParameter[] s_position =
    [
        new(ClientPosition.CheckpointSizeParameter, "Size of the checkpoint that the client keeps; 0 or absent: none.", QuerySchemas.Number), s_minEpoch,
    ];

    private static readonly ApiParameter[] s_state =
    [
        .. s_position,
        new(AskedState.AtEpochParameter, "The epoch to answer from, one of those that the replica served last; absent: the newest epoch.", QuerySchemas.Number),
    ];

    // The parameters of queries that an owner may still send about a period that has ended.
    private static readonly ApiParameter[] s_ended =
    [
        .. s_state,
        new(AskedState.PeriodParameter, "A period that has ended: the answer is as of its last epoch; absent: the answer is as of the newest epoch.", QuerySchemas.Number),
    ];

    private static readonly ProblemType[] s_reads = [ProblemTypes.NotAcceptable, ProblemTypes.Unavailable, ProblemTypes.NotCaughtUp];
    private static readonly ProblemType[] s_keys = [.. s_reads, ProblemTypes.KeyLength, ProblemTypes.NotFound, ProblemTypes.Erased, ProblemTypes.Overloaded];
    private static readonly ApiHeader[] s_cached = [ApiHeader.CacheControl];
    private static readonly ApiHeader[] s_tagged = [ApiHeader.CacheControl, ApiHeader.ETag];

    public static ApiOperation PostLookup { get; } = new("lookup", "Looks up keys: their latest values, or their proven absence.")
    {
        Description = ReadOnly,
        Parameters = s_state,
        Body = Queries(QuerySchemas.LookupQueries, new()
        {
            ["one"] = """{"key": "alice@example.org"}""",
            ["octets"] = """{"key_b64": "YWxpY2UA"}""",
            ["known"] = """[{"key": "alice", "known": {"period": 0, "version": 0}}, {"key": "bob"}]""",
        }),
        Answers = [Answer("Whether each key has a value, and the proof.", QuerySchemas.LookupAnswer, MediaTypes.Lookup)],
        Problems = [.. s_keys, ProblemTypes.BatchLength, ProblemTypes.AnswerTooLarge],
    };

    public static ApiOperation GetLookup { get; } = new("lookupOne", "Looks up one key given as text in the URL; for trying things out.")
    {
        Description = "Do not use it where URLs are logged.",
        Parameters = [new("key", "The key, UTF-8 text.", null, IsRequired: true), .. s_state],
        Answers = PostLookup.Answers,
        Problems = s_keys,
    };

    public static ApiOperation UserLookup { get; } = new("userLookup", "Looks up users: which user id a username leads to, whether the user has left, and the keys of all devices.")
    {
        Description = ReadOnly,
        Parameters = s_state,
        Body = new(
            $"One query, or a list of 1 to {QueryBatch.MaxCount}.",
            new ApiContent(MediaTypes.Json, QuerySchemas.UserQueries)
            {
                Examples = new Dictionary<string, string>
                {
                    ["one"] = """{"username": "alice@example.org"}""",
                    ["device"] = """[{"username": "alice@example.org", "device": "phone"}, {"username_b64": "Ym9i"}]""",
                    ["known"] = """{"username": "alice", "known": {"user": true, "period": 0, "devices": 1, "keys": [{"device": "phone", "version": 1}]}}""",
                },
            },
            new ApiContent(MediaTypes.UserQuery)),
        Answers = [Answer("What each username leads to, and the proofs.", QuerySchemas.UserLookupAnswer, MediaTypes.UserLookup)],
        Problems = [.. s_keys, ProblemTypes.UsernameForm, ProblemTypes.BatchLength, ProblemTypes.AnswerTooLarge],
    };

    public static ApiOperation History { get; } = Versions("history", "Lists versions of keys, oldest first, by pages.", MediaTypes.History);

    public static ApiOperation Monitor { get; } = Versions("monitor", "Lists versions of one's own keys and proves that there are no others.", MediaTypes.Monitor);

    public static ApiOperation UserMonitor { get; } = new("userMonitor", "Shows the owner of a user every version of its device list, and of the key of each device that was on it, by pages.")
    {
        Description = ReadOnly,
        Parameters = s_ended,
        Body = new(
            "One query about one user.",
            new ApiContent(MediaTypes.Json, QuerySchemas.UserMonitorQuery)
            {
                Examples = new Dictionary<string, string>
                {
                    ["first"] = """{"user_b64": "8Uo1mCXtZ0yP0Bjq6lYQWw", "usernames": ["alice@example.org"]}""",
                    ["later"] = """{"user": "alice", "period": 0, "from": 3, "keys": [{"device": "phone", "from": 2}]}""",
                },
            },
            new ApiContent(MediaTypes.UserMonitorQuery)),
        Answers = [Answer("The versions, and the proofs that there are no others.", QuerySchemas.UserMonitorAnswer, MediaTypes.UserMonitor)],
        Problems = [.. s_keys, ProblemTypes.BatchLength, ProblemTypes.UsernameForm, ProblemTypes.PeriodGone],
    };

    public static ApiOperation LatestEpoch { get; } = new("latestEpoch", "Returns the record of the served epoch, and the proofs that tie it to a checkpoint.")
    {
        Parameters = s_position,
        Answers = [Answer("The head.", QuerySchemas.Head, MediaTypes.Head) with { Headers = s_cached }],
        Problems = s_reads,
    };

    public static ApiOperation Periods { get; } = new("periods", "Returns the records of the first and last epochs of time periods, and the proofs that tie them to a checkpoint.")
    {
        Parameters = [new(FromParameter, "The first period.", QuerySchemas.Number, IsRequired: true), .. s_position],
        Answers = [Answer($"The bounds of at most {EpochBounds.MaxPeriods} periods from that one on. If the current period is later, the head is that of the last of them, and the next page begins there.", QuerySchemas.PeriodsAnswer, MediaTypes.Periods)],
        Problems = [.. s_reads, ProblemTypes.NotFound, ProblemTypes.Overloaded],
    };

    public static ApiOperation Epoch { get; } = new("epoch", "Returns the record of an epoch.")
    {
        Parameters = [new("epoch", "The epoch.", QuerySchemas.Number, IsInPath: true), s_minEpoch],
        Answers = [Answer("The record, which never changes.", QuerySchemas.Record, MediaTypes.Record) with { Headers = s_tagged }, ApiAnswer.NotModified],
        Problems = [.. s_reads, ProblemTypes.NotFound],
    };

    public static ApiOperation AuditProof { get; } = new("auditProof", $"Proves that the trees only grew, in one epoch or over a range of at most {ProtocolLimits.MaxRangeEpochs}.")
    {
        Parameters = [new("range", "`e`, the step to epoch e; or `a-b`, the steps from epoch a to epoch b.", QuerySchemas.Range, IsInPath: true), s_minEpoch],
        Answers = [Answer("The proof, which never changes.", QuerySchemas.AuditProof, MediaTypes.AuditProof) with { Headers = s_tagged }, ApiAnswer.NotModified],
        Problems = [.. s_reads, ProblemTypes.NotFound, ProblemTypes.RangeTooLarge, ProblemTypes.Overloaded],
    };

    public static ApiOperation Configuration { get; } = new("configuration", "Returns the log's configuration and key, for display and first use; alone they are not a trust anchor.")
    {
        Answers = [new(200, "The configuration.", new ApiContent(MediaTypes.Json, QuerySchemas.Configuration)) { Headers = s_tagged }, ApiAnswer.NotModified],
        Problems = [ProblemTypes.NotAcceptable, ProblemTypes.Unavailable],
    };

    public static ApiOperation Checkpoint { get; } = new("checkpoint", "Returns the checkpoint of the served epoch: a C2SP signed note.")
    {
        Answers = [new(200, "The signed note.", new ApiContent("text/plain", QuerySchemas.Note)) { Headers = s_tagged }, ApiAnswer.NotModified],
        Problems = [ProblemTypes.Unavailable],
    };

    public static ApiOperation Cosignatures { get; } = new("cosignatures", "Returns the newest checkpoint that each auditor and witness cosigned, as far as this replica knows it.")
    {
        Answers = [new(200, "The signed notes.", new ApiContent(MediaTypes.Json, QuerySchemas.Cosignatures)) { Headers = s_tagged }, ApiAnswer.NotModified],
        Problems = [ProblemTypes.NotAcceptable],
    };

    /// <summary>Describes the files of one endpoint: OpenAPI cannot express a path with any number of parts.</summary>
    public static IReadOnlyList<ApiOperation> BoardFiles { get; } =
    [
        File("tile", "/log/tile/{level}/{index}", "Returns a full tile of the log's tree (C2SP tlog-tiles).", null, Level, Index),
        File("partialTile", "/log/tile/{level}/{index}.p/{width}", "Returns a partial tile of the log's tree.", null, Level, Index, Width),
        File("entries", "/log/tile/entries/{index}", "Returns a full bundle of 256 entries.", null, Index),
        File("partialEntries", "/log/tile/entries/{index}.p/{width}", "Returns a partial bundle of entries.", null, Index, Width),
        File("auditFile", "/log/audit/{index}", "Returns the audit proof of the step to an epoch, as stored on the board.", MediaTypes.AuditProof, Index),
    ];

    private static ApiParameter Level => new("level", "Level of the tile.", QuerySchemas.Level, IsInPath: true);

    private static ApiParameter Index => new("index", "Number below 1000. A larger number takes several parts of the path, such as `x001/234`.", QuerySchemas.Index, IsInPath: true);

    private static ApiParameter Width => new("width", "Number of entries of the partial tile.", QuerySchemas.Width, IsInPath: true);

    private static ApiOperation Versions(string id, string summary, string binary) => new(id, summary)
    {
        Description = ReadOnly,
        Parameters = s_ended,
        Body = Queries(QuerySchemas.VersionsQueries, new() { ["one"] = """{"key": "alice@example.org"}""", ["page"] = """[{"key_b64": "YWxpY2UA", "from": 1}, {"key": "bob"}]""" }),
        Answers = [Answer("The versions and their proofs.", QuerySchemas.VersionsAnswer, binary)],
        Problems = [.. s_keys, ProblemTypes.BatchLength, ProblemTypes.AnswerTooLarge, ProblemTypes.PeriodGone],
    };

    private static ApiBody Queries(string schema, Dictionary<string, string> examples) => new(
        $"One query, or a list of 1 to {QueryBatch.MaxCount}.", new ApiContent(MediaTypes.Json, schema) { Examples = examples }, new ApiContent(MediaTypes.Query));

    private static ApiAnswer Answer(string description, string schema, string binary) =>
        new(200, description, new ApiContent(MediaTypes.Json, schema), new ApiContent(binary)) { Headers = s_cached };

    private static ApiOperation File(string id, string path, string summary, string? mediaType, params ApiParameter[] parameters) => new(id, summary)
    {
        Path = path,
        Parameters = parameters,
        Answers = [new(200, "The file, which never changes.", new ApiContent(mediaType ?? "application/octet-stream")) { Headers = s_tagged }, ApiAnswer.NotModified],
        Problems = [ProblemTypes.NotFound, ProblemTypes.Unavailable],
    };
}
