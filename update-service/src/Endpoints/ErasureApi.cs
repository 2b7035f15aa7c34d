using Optiks.Protocol;
using Optiks.ServiceDefaults;

namespace Optiks.UpdateService.Endpoints;

/// <summary>Describes the endpoints for erasures (docs/spec/erasure.md section 4).</summary>
internal static class ErasureApi
{
    public static ApiOperation PostErasures { get; } = new("postErasures", "Asks for values to be erased permanently; answered once the requests are durable.")
    {
        Description = "Erases superseded versions of a key or of a user's device list, or everything of a user who has left. A value that is gone already is not an error.",
        Body = new ApiBody("One erasure, or a list of these.", new ApiContent(MediaTypes.Json, ErasureSchemas.Erasures)
        {
            Examples = new Dictionary<string, string>
            {
                ["key"] = """{"key": "alice@example.org", "period": 0, "from": 1, "to": 3}""",
                ["list"] = """[{"key_b64": "YWxpY2UA", "period": 0, "from": 2, "to": 2}, {"user": "user 17", "period": 0, "from": 1, "to": 9}]""",
                ["user"] = """{"user_b64": "AAECAwQFBgcICQoLDA0ODw"}""",
            },
        }),
        Answers =
        [
            new ApiAnswer(202, "The requests are durable.", new ApiContent(MediaTypes.Json, ErasureSchemas.Accepted))
            {
                Headers = [new ApiHeader("Location", "Path of the status, unless a list was sent."), ApiHeader.CacheControl],
            },
        ],
        Problems =
        [
            ProblemTypes.KeyLength, ProblemTypes.BatchLength, ProblemTypes.RangeTooLarge, ProblemTypes.RequestIdTime, ProblemTypes.NotAcceptable, ProblemTypes.RequestIdReused,
            ProblemTypes.TooManyPending, ProblemTypes.Overloaded, ProblemTypes.Unavailable,
        ],
    };

    public static ApiOperation GetErasure { get; } = new("getErasure", "Returns the status of an erasure.")
    {
        Parameters =
        [
            new ApiParameter("request_id", "The request's id.", UpdateSchemas.RequestId, IsInPath: true),
            new ApiParameter(Endpoints.GetUpdate.WaitParameter, "Seconds to wait while the request is pending.", UpdateSchemas.Wait),
        ],
        Answers = [new ApiAnswer(200, "The status.", new ApiContent(MediaTypes.Json, ErasureSchemas.Status)) { Headers = [ApiHeader.CacheControl] }],
        Problems = [ProblemTypes.NotFound, ProblemTypes.NotAcceptable, ProblemTypes.Unavailable],
    };
}
