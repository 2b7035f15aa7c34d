using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Diagnostics;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Turns exceptions during requests into answers. An unexpected exception is logged in full, and the answer to the caller contains no
/// internals.
/// </summary>
internal sealed partial class ExceptionAnswers : IExceptionHandler
{
    private readonly ILogger<ExceptionAnswers> _logger;

    public ExceptionAnswers(ILogger<ExceptionAnswers> logger)
    {
        _logger = logger;
    }

    public async ValueTask<bool> TryHandleAsync(HttpContext httpContext, Exception exception, CancellationToken cancellationToken)
    {
        if (exception is ConnectionResetException
            || (exception is OperationCanceledException or IOException && httpContext.RequestAborted.IsCancellationRequested))
        {
            // The client has closed the connection and reads no answer. Like proxies, the service logs the status 499.
            httpContext.Response.StatusCode = StatusCodes.Status499ClientClosedRequest;
            return true;
        }
        Problem problem = exception switch
        {
            ProblemException known => known.Problem,
            BadHttpRequestException bad => new Problem(ProblemType.ForStatus(bad.StatusCode), ProblemType.ForStatus(bad.StatusCode).Title),
            _ => new Problem(ProblemTypes.Internal, "An unexpected error happened. Quote the trace id when you report it."),
        };
        if (problem.Type == ProblemTypes.Internal)
        {
            LogUnexpected(exception);
        }
        await problem.ExecuteAsync(httpContext);
        return true;
    }

    [LoggerMessage(EventId = 9010, EventName = "UnexpectedException", Level = LogLevel.Error, Message = "A request failed unexpectedly.")]
    private partial void LogUnexpected(Exception exception);
}
