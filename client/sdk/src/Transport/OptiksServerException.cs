using System.Net;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>Reports that a server gave no usable answer. The library never throws it for an answer that failed verification.</summary>
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

    // Makes the message printable, because most messages contain text from the server, and a program may show them on a terminal.
    internal OptiksServerException(ServerFailure failure, Uri server, string message, Exception? innerException = null)
        : base(DisplayText.Escape(message, MaxMessageLength), innerException)
    {
        Failure = failure;
        Server = server;
    }

    /// <summary>The kind of failure.</summary>
    public ServerFailure Failure { get; }

    /// <summary>The server of the request.</summary>
    public Uri? Server { get; }

    /// <summary>The HTTP status of the answer; null if there was no answer.</summary>
    public HttpStatusCode? Status { get; internal init; }

    /// <summary>
    /// The name of the problem type (docs/spec/rest.md section 2), such as <c>rate-limited</c>; null if the answer had no problem document.
    /// </summary>
    public string? Problem { get; internal init; }

    /// <summary>The JSON path of the field at fault; null when the server named no field.</summary>
    public string? Field { get; internal init; }

    /// <summary>The trace id under which the operator finds the request.</summary>
    public string? TraceId { get; internal init; }

    /// <summary>The pause that the server requested before the next try; null if it requested no pause.</summary>
    public TimeSpan? RetryAfter { get; internal init; }

    /// <summary>Whether the same request may succeed at a later time or at another replica.</summary>
    public bool IsTransient =>
        Failure == ServerFailure.Unreachable || Status is HttpStatusCode.TooManyRequests or >= HttpStatusCode.InternalServerError;
}
