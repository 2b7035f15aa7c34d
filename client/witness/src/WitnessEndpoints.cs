using System.Globalization;
using System.Text;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.Logging;
using Optiks.Secrets;
using Optiks.ServiceDefaults;

namespace Optiks.Witness;

/// <summary>
/// The two endpoints of C2SP tlog-witness (docs/spec/witness.md): one endpoint to which logs write, and one endpoint from which monitors
/// read.
/// </summary>
internal sealed class WitnessEndpoints
{
    private const string AddPath = "/add-checkpoint";
    private const string SizeType = "text/x.tlog.size";
    private const string TextType = "text/plain; charset=utf-8";

    private readonly WitnessedLogs _logs;
    private readonly WitnessMetrics _metrics;
    private readonly ILogger _logger;

    public WitnessEndpoints(WitnessedLogs logs, WitnessMetrics metrics, ILogger logger)
    {
        _logs = logs;
        _metrics = metrics;
        _logger = logger;
    }

    public void Map(IEndpointRouteBuilder routes)
    {
        routes.MapPost(AddPath, AddAsync);
        routes.MapGet("/{name}/checkpoint", CheckpointAsync);
    }

    private async Task AddAsync(HttpContext context)
    {
        // Compare the path exactly, because routes also match with a slash at the end, and in any letter case.
        if (context.Request.Path.Value != AddPath)
        {
            context.Response.StatusCode = StatusCodes.Status404NotFound;
            return;
        }
        byte[] body = await RequestBody.ReadAsync(context.Request, AddCheckpointRequest.MaxLength, context.RequestAborted);
        WitnessLog? log = null;
        WitnessAnswer answer;
        try
        {
            answer = !AddCheckpointRequest.TryParse(body, out AddCheckpointRequest? request)
                ? new WitnessAnswer(StatusCodes.Status400BadRequest)
                : (log = _logs.Find(request.Origin)) is null ? new WitnessAnswer(StatusCodes.Status404NotFound)
                : await log.AddAsync(request, Caller.Identify(context), context.RequestAborted);
        }
        catch (SignerUnavailableException e)
        {
            _logger.NotSigned(e);
            answer = new WitnessAnswer(StatusCodes.Status503ServiceUnavailable);
        }
        catch (WitnessStorageException e)
        {
            _logger.NotStored(e);
            answer = new WitnessAnswer(StatusCodes.Status503ServiceUnavailable);
        }
        _metrics.Answered(log?.Key.Name, answer.Status);
        if (answer.Status is StatusCodes.Status429TooManyRequests or StatusCodes.Status503ServiceUnavailable)
        {
            context.Response.Headers.RetryAfter = 1.ToString(CultureInfo.InvariantCulture);
        }
        context.Response.StatusCode = answer.Status;
        await WriteAsync(context, answer.Body.Length > 0 ? answer.Body : Meaning(answer.Status),
            answer.Status == StatusCodes.Status409Conflict ? SizeType : TextType);
    }

    private Task CheckpointAsync(HttpContext context, string name)
    {
        if (context.Request.Path.Value != $"/{name}/checkpoint" || _logs.FindByName(name)?.Cosigned is not { } cosigned)
        {
            context.Response.StatusCode = StatusCodes.Status404NotFound;
            return Task.CompletedTask;
        }
        context.Response.Headers.CacheControl = "public, max-age=2";
        return WriteAsync(context, Encoding.UTF8.GetString(cosigned.Encode()), TextType);
    }

    private static async Task WriteAsync(HttpContext context, string text, string type)
    {
        byte[] octets = Encoding.UTF8.GetBytes(text);
        context.Response.ContentType = type;
        context.Response.ContentLength = octets.Length;
        await context.Response.BodyWriter.WriteAsync(octets, context.RequestAborted);
    }

    // Returns text that explains a status to people. Programs use the status itself.
    private static string Meaning(int status) => status switch
    {
        StatusCodes.Status400BadRequest => "not an add-checkpoint request, or an old size above the checkpoint's\n",
        StatusCodes.Status403Forbidden => "no valid signature by the log\n",
        StatusCodes.Status404NotFound => "this log is not witnessed here\n",
        StatusCodes.Status422UnprocessableEntity => "the checkpoint is not proven to extend the one before\n",
        StatusCodes.Status429TooManyRequests => "too many requests of this log wait\n",
        _ => "nothing can be cosigned now\n",
    };
}
