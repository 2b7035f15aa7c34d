using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Diagnostics;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Turns exceptions of requests into answers, in one place. An unexpected exception is logged in full and answered without internals.
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
        if (exception is ConnectionResetException || (exception is OperationCanceledException or IOException && httpContext.RequestAborted.IsCancellationRequested))
        {
            // The client is gone and reads no answer. Proxies log 499 for this.
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
