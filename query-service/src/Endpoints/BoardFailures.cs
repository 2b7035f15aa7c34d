using Microsoft.AspNetCore.Diagnostics;
using Optiks.QueryService.Telemetry;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Endpoints;

/// <summary>
/// Answers requests that failed because the board could not be read. The client gets the problem unavailable, and the service logs an error
/// for the operator.
/// </summary>
internal sealed class BoardFailures : IExceptionHandler
{
    private static readonly TimeSpan s_retryAfter = TimeSpan.FromSeconds(5);

    private readonly ILogger<BoardFailures> _logger;

    public BoardFailures(ILogger<BoardFailures> logger) => _logger = logger;

    /// <inheritdoc/>
    public async ValueTask<bool> TryHandleAsync(HttpContext httpContext, Exception exception, CancellationToken cancellationToken)
    {
        if (exception is not BoardUnreadableException)
        {
            return false;
        }
        _logger.BoardUnreadable(exception);
        await new Problem(ProblemTypes.Unavailable, "This replica cannot read the bulletin board now.", null,
            s_retryAfter).ExecuteAsync(httpContext);
        return true;
    }
}
