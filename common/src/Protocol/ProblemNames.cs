// Generated from docs/spec/facts.toml by `make facts`: do not edit.
namespace Optiks.Protocol;

/// <summary>The names of problems (docs/spec/rest.md section 2).</summary>
public static class ProblemNames
{
    /// <summary>The beginning of every problem type; the problem's name follows.</summary>
    public const string UrnPrefix = "urn:optiks:problem:";

    /// <summary>The request is not well formed.</summary>
    public const string MalformedRequest = "malformed-request";

    /// <summary>A key is empty or too long.</summary>
    public const string KeyLength = "key-length";

    /// <summary>A value is too long.</summary>
    public const string ValueLength = "value-length";

    /// <summary>A list is empty or too long.</summary>
    public const string BatchLength = "batch-length";

    /// <summary>A key stands twice in one atomic request.</summary>
    public const string DuplicateKey = "duplicate-key";

    /// <summary>The request id's time is too far from the server's.</summary>
    public const string RequestIdTime = "request-id-time";

    /// <summary>A valid API key or token is needed.</summary>
    public const string Unauthorized = "unauthorized";

    /// <summary>The API key or token does not allow this.</summary>
    public const string Forbidden = "forbidden";

    /// <summary>There is no such thing here.</summary>
    public const string NotFound = "not-found";

    /// <summary>A username has no form.</summary>
    public const string UsernameForm = "username-form";

    /// <summary>The path does not take this method.</summary>
    public const string MethodNotAllowed = "method-not-allowed";

    /// <summary>None of the accepted media types can be given.</summary>
    public const string NotAcceptable = "not-acceptable";

    /// <summary>The latest value of a key was erased.</summary>
    public const string Erased = "erased";

    /// <summary>The period is served no more.</summary>
    public const string PeriodGone = "period-gone";

    /// <summary>The request id was used with other content.</summary>
    public const string RequestIdReused = "request-id-reused";

    /// <summary>The body is too large.</summary>
    public const string BodyTooLarge = "body-too-large";

    /// <summary>The body's media type or encoding is not taken here.</summary>
    public const string UnsupportedMediaType = "unsupported-media-type";

    /// <summary>The range has too many epochs.</summary>
    public const string RangeTooLarge = "range-too-large";

    /// <summary>The answer would be too long.</summary>
    public const string AnswerTooLarge = "answer-too-large";

    /// <summary>The key has too many pending updates.</summary>
    public const string TooManyPending = "too-many-pending";

    /// <summary>Too many requests.</summary>
    public const string RateLimited = "rate-limited";

    /// <summary>The server failed.</summary>
    public const string Internal = "internal";

    /// <summary>The server is at its limit.</summary>
    public const string Overloaded = "overloaded";

    /// <summary>The server cannot answer now.</summary>
    public const string Unavailable = "unavailable";

    /// <summary>The client knows of more of the log than this replica serves.</summary>
    public const string NotCaughtUp = "not-caught-up";

    /// <summary>All names, in the order of the specification.</summary>
    public static IReadOnlyList<string> All { get; } =
    [
        MalformedRequest,
        KeyLength,
        ValueLength,
        BatchLength,
        DuplicateKey,
        RequestIdTime,
        Unauthorized,
        Forbidden,
        NotFound,
        UsernameForm,
        MethodNotAllowed,
        NotAcceptable,
        Erased,
        PeriodGone,
        RequestIdReused,
        BodyTooLarge,
        UnsupportedMediaType,
        RangeTooLarge,
        AnswerTooLarge,
        TooManyPending,
        RateLimited,
        Internal,
        Overloaded,
        Unavailable,
        NotCaughtUp,
    ];
}
