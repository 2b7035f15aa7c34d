using System.Diagnostics;
using System.Globalization;
using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Microsoft.Net.Http.Headers;
using Optiks.Protocol;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Holds an error answer, which endpoints return: RFC 9457 problem details with the members of docs/spec/rest.md section 2. The detail must
/// contain no key, value, secret or internals.
/// </summary>
/// <param name="Type">The kind of problem.</param>
/// <param name="Detail">A sentence about this occurrence of the problem.</param>
/// <param name="Field">The part of the request that is wrong, or null: a JSON path, <c>?parameter</c> or <c>{part of the path}</c>.</param>
/// <param name="RetryAfter">The time that the client should wait before a retry, which is rounded up to whole seconds; null if the answer
/// gives no time.</param>
public sealed record Problem(ProblemType Type, string Detail, string? Field = null, TimeSpan? RetryAfter = null) : IResult
{
    /// <summary>The reason why a token was refused; otherwise null.</summary>
    public string? Reason { get; init; }

    private const string MediaType = "application/problem+json";

    /// <inheritdoc/>
    public async Task ExecuteAsync(HttpContext httpContext)
    {
        ArgumentNullException.ThrowIfNull(httpContext);
        HttpResponse response = httpContext.Response;
        response.StatusCode = Type.Status;
        response.ContentType = MediaType;
        response.Headers.CacheControl = "no-store";
        response.Headers.Remove(HeaderNames.ETag);
        if (RetryAfter is { } wait)
        {
            response.Headers.RetryAfter = Math.Ceiling(wait.TotalSeconds).ToString(CultureInfo.InvariantCulture);
        }
        var body = new Utf8JsonWriter(response.BodyWriter, new JsonWriterOptions { Encoder = AnswerJson.Encoder });
        await using (body.ConfigureAwait(false))
        {
            body.WriteStartObject();
            body.WriteString("type"u8, Type.Urn);
            body.WriteString("title"u8, Type.Title);
            body.WriteNumber("status"u8, Type.Status);
            body.WriteString("detail"u8, Detail);
            if (Field is not null)
            {
                body.WriteString("field"u8, Field);
            }
            if (Reason is not null)
            {
                body.WriteString("reason"u8, Reason);
            }
            body.WriteString("trace_id"u8, Activity.Current?.TraceId.ToHexString() ?? httpContext.TraceIdentifier);
            body.WriteEndObject();
        }
    }
}
