using Optiks.Protocol;
using Optiks.ServiceDefaults;

namespace Optiks.UpdateService.Endpoints;

/// <summary>Describes the endpoints for updates and users (docs/spec/rest.md section 5).</summary>
internal static class UpdateApi
{
    public const string Title = "Optiks update-service";

    public const string Description = "Accepts updates of keys and changes of users, and reports their status.";

    private static readonly ProblemType[] s_problemsOfRequests =
    [
        ProblemTypes.KeyLength, ProblemTypes.ValueLength, ProblemTypes.BatchLength, ProblemTypes.DuplicateKey, ProblemTypes.RequestIdTime, ProblemTypes.NotAcceptable,
        ProblemTypes.RequestIdReused, ProblemTypes.TooManyPending, ProblemTypes.Overloaded, ProblemTypes.Unavailable,
    ];

    public static ApiOperation PostUpdates { get; } = new("postUpdates", "Sends updates; answered once they are durable.")
    {
        Description = "The same request id with the same content gives the same answer.",
        Body = new ApiBody("One update, an atomic request, or a list of these.", new ApiContent(MediaTypes.Json, UpdateSchemas.Updates)
        {
            Examples = new Dictionary<string, string>
            {
                ["one"] = """{"key": "alice@example.org", "value": "alice's public key"}""",
                ["octets"] = """{"key_b64": "YWxpY2UA", "value_b64": "", "expected": {"period": 0, "version": 0}}""",
                ["atomic"] = """{"items": [{"key": "alice/phone", "value": "1"}, {"key": "alice/laptop", "value": "2"}]}""",
                ["list"] = """[{"key": "alice", "value": "1"}, {"items": [{"key": "bob", "value": "1"}]}]""",
            },
        }),
        Answers =
        [
            new ApiAnswer(202, "The updates are durable.", new ApiContent(MediaTypes.Json, UpdateSchemas.Accepted))
            {
                Headers = [new ApiHeader("Location", "Path of the status, unless a list was sent."), ApiHeader.CacheControl],
            },
        ],
        Problems = s_problemsOfRequests,
    };

    public static ApiOperation PostUsers { get; } = new("postUsers", "Sends changes of users; answered once they are durable.")
    {
        Description = "The same request id with the same content gives the same answer.",
        Body = new ApiBody("Changes of one user, or a list of these.", new ApiContent(MediaTypes.Json, UserSchemas.Users)
        {
            Examples = new Dictionary<string, string>
            {
                ["create"] = """{"changes": [{"op": "create", "usernames": ["alice"], "devices": [{"device": "alice-phone", "value": "its public key"}]}]}""",
                ["devices"] = """
                    {"user_b64": "AAECAwQFBgcICQoLDA0ODw", "changes": [{"op": "add-device", "device": "alice-laptop", "value": "its public key"}, {"op": "remove-device", "device": "alice-phone"}]}
                    """,
                ["set"] = """{"user": "user 17", "changes": [{"op": "set-device", "device_b64": "AQID", "value_b64": "", "expected": {"period": 0, "version": 1}}]}""",
                ["list"] = """[{"user": "user 17", "changes": [{"op": "add-username", "username": "bob"}]}, {"user": "user 18", "changes": [{"op": "decommission"}]}]""",
            },
        }),
        Answers =
        [
            new ApiAnswer(202, "The changes are durable.", new ApiContent(MediaTypes.Json, UserSchemas.Accepted))
            {
                Headers = [new ApiHeader("Location", "Path of the status, unless a list was sent."), ApiHeader.CacheControl],
            },
        ],
        Problems = [.. s_problemsOfRequests, ProblemTypes.UsernameForm],
    };

    public static ApiOperation GetUpdate { get; } = new("getUpdate", "Returns the status of a request.")
    {
        Parameters =
        [
            new ApiParameter("request_id", "The request's id.", UpdateSchemas.RequestId, IsInPath: true),
            new ApiParameter(Endpoints.GetUpdate.WaitParameter, "Seconds to wait while the request is pending.", UpdateSchemas.Wait),
        ],
        Answers = [new ApiAnswer(200, "The status.", new ApiContent(MediaTypes.Json, StatusSchemas.Status)) { Headers = [ApiHeader.CacheControl] }],
        Problems = [ProblemTypes.NotFound, ProblemTypes.NotAcceptable, ProblemTypes.Unavailable],
    };
}
