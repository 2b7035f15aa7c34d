using System.Buffers;
using System.IO.Pipelines;

namespace Optiks.UpdateService.Endpoints;

/// <summary>
/// AcceptedAnswer writes the answer to updates that are durable: for each, <c>{"request_id", "status": "pending", "status_url"}</c>, whose octets are the same but for the id. By hand:
/// this is written for every update.
/// </summary>
internal static class AcceptedAnswer
{
    private const string StatusPath = "/v1/updates/";
    private const int IdLength = 36;

    private static readonly int s_length = Start.Length + IdLength + Middle.Length + IdLength + End.Length;

    private static ReadOnlySpan<byte> Start => "{\"request_id\":\""u8;

    private static ReadOnlySpan<byte> Middle => "\",\"status\":\"pending\",\"status_url\":\"/v1/updates/"u8;

    private static ReadOnlySpan<byte> End => "\"}"u8;

    /// <summary>Write answers a request of one update, or a list of them. The server sends it when the endpoint returns.</summary>
    public static void Write(HttpResponse response, IReadOnlyList<Guid> ids, bool isList)
    {
        response.StatusCode = StatusCodes.Status202Accepted;
        response.ContentType = "application/json";
        response.Headers.CacheControl = "no-store";
        PipeWriter body = response.BodyWriter;
        if (!isList)
        {
            response.ContentLength = s_length;
            response.Headers.Location = $"{StatusPath}{ids[0]:D}";
            Write(body, ids[0]);
        }
        else
        {
            response.ContentLength = 2 + (ids.Count * (s_length + 1)) - 1;
            for (int i = 0; i < ids.Count; i++)
            {
                body.Write(i == 0 ? "["u8 : ","u8);
                Write(body, ids[i]);
            }
            body.Write("]"u8);
        }
    }

    private static void Write(PipeWriter body, Guid id)
    {
        Span<byte> octets = body.GetSpan(s_length);
        Start.CopyTo(octets);
        _ = id.TryFormat(octets[Start.Length..], out _, "D");
        Span<byte> rest = octets[(Start.Length + IdLength)..];
        Middle.CopyTo(rest);
        octets.Slice(Start.Length, IdLength).CopyTo(rest[Middle.Length..]);
        End.CopyTo(rest[(Middle.Length + IdLength)..]);
        body.Advance(s_length);
    }
}
