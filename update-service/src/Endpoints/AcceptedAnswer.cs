using System.Buffers;
using System.Buffers.Text;
using System.IO.Pipelines;
using System.Text;
using Optiks.UpdateService.Receipts;
using Optiks.UpdateService.Requests;

namespace Optiks.UpdateService.Endpoints;

/// <summary>
/// Writes the answer to requests that are durable. For each request, the answer has the members <c>{"request_id", "status": "pending",
/// "status_url"}</c>, whose bytes differ only in the id. It also has <c>"user_b64"</c> if the request is about a user, and <c>"receipt"</c>
/// and <c>"receipt_keys"</c> if there is a receipt. This class writes the bytes itself, without a serializer, because every accepted update
/// gets this answer.
/// </summary>
internal static class AcceptedAnswer
{
    private const int IdLength = 36;

    // The length of the answer to one request without the path of its status.
    private static readonly int s_length = Start.Length + IdLength + Middle.Length + IdLength + 1 + End.Length;

    private static ReadOnlySpan<byte> Start => "{\"request_id\":\""u8;

    private static ReadOnlySpan<byte> Middle => "\",\"status\":\"pending\",\"status_url\":\""u8;

    private static ReadOnlySpan<byte> User => ",\"user_b64\":\""u8;

    private static ReadOnlySpan<byte> Receipt => ",\"receipt\":\""u8;

    private static ReadOnlySpan<byte> ReceiptKeys => "\",\"receipt_keys\":\""u8;

    private static ReadOnlySpan<byte> End => "}"u8;

    /// <summary>Writes the answer to one request, or to a list of requests. The server sends the answer when the endpoint
    /// returns.</summary>
    /// <param name="response">The HTTP response to write to.</param>
    /// <param name="unit">The unit with the requests.</param>
    /// <param name="statusPath">The path below which the service serves the requests' statuses. It has only ASCII characters that JSON does
    /// not escape.</param>
    /// <param name="receipts">For each request, its receipt or null. The list itself is null if no request has a receipt.</param>
    public static void Write(HttpResponse response, RequestUnit unit, string statusPath, IReadOnlyList<GivenReceipt?>? receipts)
    {
        IReadOnlyList<Guid> ids = unit.Ids;
        response.StatusCode = StatusCodes.Status202Accepted;
        response.ContentType = "application/json";
        response.Headers.CacheControl = "no-store";
        PipeWriter body = response.BodyWriter;
        response.ContentLength = Length(unit, statusPath, receipts ?? []);
        if (!unit.Parsed.IsList)
        {
            response.Headers.Location = $"{statusPath}{ids[0]:D}";
            Write(body, statusPath, ids[0], unit.Users?[0], receipts?[0]);
        }
        else
        {
            for (int i = 0; i < ids.Count; i++)
            {
                body.Write(i == 0 ? "["u8 : ","u8);
                Write(body, statusPath, ids[i], unit.Users?[i], receipts?[i]);
            }
            body.Write("]"u8);
        }
    }

    private static int Length(RequestUnit unit, string statusPath, IReadOnlyList<GivenReceipt?> receipts)
    {
        int length = unit.Ids.Count * (s_length + statusPath.Length);
        foreach (ReadOnlyMemory<byte> user in unit.Users ?? [])
        {
            length += UserLength(user);
        }
        foreach (GivenReceipt? receipt in receipts)
        {
            length += ReceiptLength(receipt);
        }
        // A list also needs two brackets, and commas between its elements.
        return unit.Parsed.IsList ? length + 1 + unit.Ids.Count : length;
    }

    private static int UserLength(ReadOnlyMemory<byte> user) => User.Length + Base64Url.GetEncodedLength(user.Length) + 1;

    private static int ReceiptLength(GivenReceipt? receipt) =>
        receipt is null ? 0 : Receipt.Length + receipt.Note.EncodedUtf8Bytes.Length + ReceiptKeys.Length
            + receipt.Keys.EncodedUtf8Bytes.Length + 1;

    private static void Write(PipeWriter body, string statusPath, Guid id, ReadOnlyMemory<byte>? user, GivenReceipt? receipt)
    {
        int length = s_length + statusPath.Length + (user is null ? 0 : UserLength(user.Value)) + ReceiptLength(receipt);
        Span<byte> octets = body.GetSpan(length);
        Start.CopyTo(octets);
        _ = id.TryFormat(octets[Start.Length..], out _, "D");
        Span<byte> rest = octets[(Start.Length + IdLength)..];
        Middle.CopyTo(rest);
        rest = rest[Middle.Length..];
        rest = rest[Encoding.ASCII.GetBytes(statusPath, rest)..];
        octets.Slice(Start.Length, IdLength).CopyTo(rest);
        rest = rest[IdLength..];
        rest[0] = (byte)'"';
        rest = rest[1..];
        if (user is { } octetsOfUser)
        {
            User.CopyTo(rest);
            rest = rest[User.Length..];
            rest = rest[Base64Url.EncodeToUtf8(octetsOfUser.Span, rest)..];
            rest[0] = (byte)'"';
            rest = rest[1..];
        }
        if (receipt is not null)
        {
            rest = Append(Append(Append(Append(rest, Receipt), receipt.Note.EncodedUtf8Bytes), ReceiptKeys), receipt.Keys.EncodedUtf8Bytes);
            rest[0] = (byte)'"';
            rest = rest[1..];
        }
        End.CopyTo(rest);
        body.Advance(length);
    }

    private static Span<byte> Append(Span<byte> rest, ReadOnlySpan<byte> octets)
    {
        octets.CopyTo(rest);
        return rest[octets.Length..];
    }
}
