namespace Optiks.ServiceDefaults;

/// <summary>ProblemTypes is the fixed list of docs/spec/rest.md section 2. Nothing else is ever answered.</summary>
public static class ProblemTypes
{
    public static ProblemType MalformedRequest { get; } = new("malformed-request", 400, "The request is not well formed.");

    public static ProblemType KeyLength { get; } = new("key-length", 400, "A key is empty or too long.");

    public static ProblemType ValueLength { get; } = new("value-length", 400, "A value is too long.");

    public static ProblemType BatchLength { get; } = new("batch-length", 400, "A list is empty or too long.");

    public static ProblemType DuplicateKey { get; } = new("duplicate-key", 400, "A key stands twice in one atomic request.");

    public static ProblemType RequestIdTime { get; } = new("request-id-time", 400, "The request id's time is too far from the server's.");

    public static ProblemType Unauthorized { get; } = new("unauthorized", 401, "A valid API key is needed.");

    public static ProblemType Forbidden { get; } = new("forbidden", 403, "The API key lacks the scope.");

    public static ProblemType NotFound { get; } = new("not-found", 404, "There is no such thing here.");

    public static ProblemType MethodNotAllowed { get; } = new("method-not-allowed", 405, "The path does not take this method.");

    public static ProblemType NotAcceptable { get; } = new("not-acceptable", 406, "None of the accepted media types can be given.");

    public static ProblemType RequestIdReused { get; } = new("request-id-reused", 409, "The request id was used with other content.");

    public static ProblemType BodyTooLarge { get; } = new("body-too-large", 413, "The body is too large.");

    public static ProblemType UnsupportedMediaType { get; } = new("unsupported-media-type", 415, "The body's media type or encoding is not taken here.");

    public static ProblemType RangeTooLarge { get; } = new("range-too-large", 422, "The range has too many epochs.");

    public static ProblemType AnswerTooLarge { get; } = new("answer-too-large", 422, "The answer would be too long.");

    public static ProblemType TooManyPending { get; } = new("too-many-pending", 429, "The key has too many pending updates.");

    public static ProblemType RateLimited { get; } = new("rate-limited", 429, "Too many requests.");

    public static ProblemType Internal { get; } = new("internal", 500, "The server failed.");

    public static ProblemType Overloaded { get; } = new("overloaded", 503, "The server is at its limit.");

    public static ProblemType Unavailable { get; } = new("unavailable", 503, "The server cannot answer now.");

    public static ProblemType NotCaughtUp { get; } = new("not-caught-up", 503, "The client knows of more of the log than this replica serves.");

    /// <summary>All of them, in the order of the specification.</summary>
    public static IReadOnlyList<ProblemType> All { get; } =
    [
        MalformedRequest, KeyLength, ValueLength, BatchLength, DuplicateKey, RequestIdTime, Unauthorized, Forbidden, NotFound, MethodNotAllowed,
        NotAcceptable, RequestIdReused, BodyTooLarge, UnsupportedMediaType, RangeTooLarge, AnswerTooLarge, TooManyPending, RateLimited, Internal,
        Overloaded, Unavailable, NotCaughtUp,
    ];

    /// <summary>ForStatus maps a bare status, as ASP.NET Core's own components set it, to the type that explains it.</summary>
    internal static ProblemType ForStatus(int status) => status switch
    {
        401 => Unauthorized,
        403 => Forbidden,
        404 => NotFound,
        405 => MethodNotAllowed,
        406 => NotAcceptable,
        413 => BodyTooLarge,
        415 => UnsupportedMediaType,
        429 => RateLimited,
        503 => Unavailable,
        >= 500 => Internal,
        _ => MalformedRequest,
    };
}
