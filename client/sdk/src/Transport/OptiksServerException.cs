using System.Net;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>OptiksServerException says that no answer was had from a server. It never stands for an answer that failed verification.</summary>
public sealed class OptiksServerException : Exception
{
    private const int MaxMessageLength = 1000;

    public OptiksServerException()
    {
    }

    public OptiksServerException(string message)
        : base(message)
    {
    }

    public OptiksServerException(string message, Exception innerException)
        : base(message, innerException)
    {
    }

    // What the server said is part of most messages, and a message may reach a terminal.
    internal OptiksServerException(ServerFailure failure, Uri server, string message, Exception? innerException = null)
        : base(DisplayText.Escape(message, MaxMessageLength), innerException)
    {
        Failure = failure;
        Server = server;
    }

    /// <summary>Failure kind.</summary>
    public ServerFailure Failure { get; }

    /// <summary>Server that was asked.</summary>
    public Uri? Server { get; }

    /// <summary>Status of the answer; null when there was none.</summary>
    public HttpStatusCode? Status { get; internal init; }

    /// <summary>Problem is the name of the problem type (docs/spec/rest.md section 2), such as <c>rate-limited</c>; null when there was no problem document.</summary>
    public string? Problem { get; internal init; }

    /// <summary>Field at fault, a JSON path; null when none was named.</summary>
    public string? Field { get; internal init; }

    /// <summary>TraceId under which the operator finds the request.</summary>
    public string? TraceId { get; internal init; }

    /// <summary>RetryAfter that the server asked for.</summary>
    public TimeSpan? RetryAfter { get; internal init; }

    /// <summary>IsTransient: the same request may succeed later, or at another replica.</summary>
    public bool IsTransient =>
        Failure == ServerFailure.Unreachable || Status is HttpStatusCode.TooManyRequests or >= HttpStatusCode.InternalServerError;
}
