using System.Net;
using System.Text.Json;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// Reads RFC 9457 problem details. The server's text is only for display; the client's code decides only by the problem type.
/// </summary>
internal static class ProblemDocument
{
    private const int MaxTextLength = 500;

    public static OptiksServerException ToException(Uri server, HttpResponseMessage response, ReadOnlyMemory<byte> body, TimeProvider time)
    {
        string? problem = null;
        string? detail = null;
        string? field = null;
        string? traceId = null;
        try
        {
            using var document = StrictJson.Parse(body);
            JsonElement root = document.RootElement;
            problem = Text(root, "type") is { } type && type.StartsWith(ProblemNames.UrnPrefix, StringComparison.Ordinal)
                ? type[ProblemNames.UrnPrefix.Length..]
                : null;
            detail = Text(root, "detail") ?? Text(root, "title");
            field = Text(root, "field");
            traceId = Text(root, "trace_id");
        }
        catch (Exception e) when (e is JsonException or InvalidOperationException)
        {
            // The body is not a problem document, or its text has half of a surrogate pair, so the error has only the HTTP status.
        }
        HttpStatusCode status = response.StatusCode;
        string what = problem ?? $"{(int)status} {response.ReasonPhrase}";
        return new OptiksServerException(
            ServerFailure.Refused, server,
            $"{server.Authority} refused: {what}{(detail is null ? "" : $" ({detail.TrimEnd('.')})")}{(field is null ? "" : $", field {field}")}.")
        {
            Status = status,
            Problem = problem,
            Field = field,
            TraceId = traceId,
            RetryAfter = Delay(response, time),
        };
    }

    private static string? Text(JsonElement element, string name) =>
        element.ValueKind == JsonValueKind.Object && element.TryGetProperty(name, out JsonElement member)
            && member.ValueKind == JsonValueKind.String
            ? DisplayText.Escape(member.GetString()!, MaxTextLength)
            : null;

    private static TimeSpan? Delay(HttpResponseMessage response, TimeProvider time) =>
        response.Headers.RetryAfter is not { } after ? null
        : after.Delta ?? (after.Date is { } date ? date - time.GetUtcNow() : null);
}
