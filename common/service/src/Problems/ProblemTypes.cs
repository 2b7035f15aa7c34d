// Generated from docs/spec/facts.toml by `make facts`: do not edit.
using Optiks.Protocol;

namespace Optiks.ServiceDefaults;

/// <summary>The fixed list of problem types (docs/spec/rest.md section 2). Services answer with no others.</summary>
public static class ProblemTypes
{
    public static ProblemType MalformedRequest { get; } = new(ProblemNames.MalformedRequest, 400, "The request is not well formed.");

    public static ProblemType KeyLength { get; } = new(ProblemNames.KeyLength, 400, "A key is empty or too long.");

    public static ProblemType ValueLength { get; } = new(ProblemNames.ValueLength, 400, "A value is too long.");

    public static ProblemType BatchLength { get; } = new(ProblemNames.BatchLength, 400, "A list is empty or too long.");

    public static ProblemType DuplicateKey { get; } = new(ProblemNames.DuplicateKey, 400, "A key stands twice in one atomic request.");

    public static ProblemType RequestIdTime { get; } = new(ProblemNames.RequestIdTime, 400, "The request id's time is too far from the server's.");

    public static ProblemType Unauthorized { get; } = new(ProblemNames.Unauthorized, 401, "A valid API key or token is needed.");

    public static ProblemType Forbidden { get; } = new(ProblemNames.Forbidden, 403, "The API key or token does not allow this.");

    public static ProblemType NotFound { get; } = new(ProblemNames.NotFound, 404, "There is no such thing here.");

    public static ProblemType UsernameForm { get; } = new(ProblemNames.UsernameForm, 400, "A username has no form.");

    public static ProblemType MethodNotAllowed { get; } = new(ProblemNames.MethodNotAllowed, 405, "The path does not take this method.");

    public static ProblemType NotAcceptable { get; } = new(ProblemNames.NotAcceptable, 406, "None of the accepted media types can be given.");

    public static ProblemType Erased { get; } = new(ProblemNames.Erased, 410, "The latest value of a key was erased.");

    public static ProblemType PeriodGone { get; } = new(ProblemNames.PeriodGone, 410, "The period is served no more.");

    public static ProblemType RequestIdReused { get; } = new(ProblemNames.RequestIdReused, 409, "The request id was used with other content.");

    public static ProblemType BodyTooLarge { get; } = new(ProblemNames.BodyTooLarge, 413, "The body is too large.");

    public static ProblemType UnsupportedMediaType { get; } = new(ProblemNames.UnsupportedMediaType, 415, "The body's media type or encoding is not taken here.");

    public static ProblemType RangeTooLarge { get; } = new(ProblemNames.RangeTooLarge, 422, "The range has too many epochs.");

    public static ProblemType AnswerTooLarge { get; } = new(ProblemNames.AnswerTooLarge, 422, "The answer would be too long.");

    public static ProblemType TooManyPending { get; } = new(ProblemNames.TooManyPending, 429, "The key has too many pending updates.");

    public static ProblemType RateLimited { get; } = new(ProblemNames.RateLimited, 429, "Too many requests.");

    public static ProblemType Internal { get; } = new(ProblemNames.Internal, 500, "The server failed.");

    public static ProblemType Overloaded { get; } = new(ProblemNames.Overloaded, 503, "The server is at its limit.");

    public static ProblemType Unavailable { get; } = new(ProblemNames.Unavailable, 503, "The server cannot answer now.");

    public static ProblemType NotCaughtUp { get; } = new(ProblemNames.NotCaughtUp, 503, "The client knows of more of the log than this replica serves.");

    /// <summary>All types, in the order of the specification.</summary>
    public static IReadOnlyList<ProblemType> All { get; } =
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
