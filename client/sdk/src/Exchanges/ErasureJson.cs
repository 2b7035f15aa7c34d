using System.Buffers;
using System.Text.Json;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>ErasureJson writes requests to erase values and reads what became of them (docs/spec/erasure.md section 4). The server's word.</summary>
internal static class ErasureJson
{
    public static ReadOnlyMemory<byte> Body(ErasureResult request)
    {
        var buffer = new ArrayBufferWriter<byte>();
        using (var writer = new Utf8JsonWriter(buffer))
        {
            writer.WriteStartObject();
            writer.WriteString("request_id"u8, request.RequestId);
            if (request.Key is { } key)
            {
                writer.WriteString("key_b64"u8, Base64UrlText.Encode(key.Span));
            }
            else
            {
                writer.WriteString("user_b64"u8, Base64UrlText.Encode(request.User!.Value.Span));
            }
            if (request.Versions is { } versions)
            {
                writer.WriteNumber("period"u8, request.Period!.Value);
                writer.WriteNumber("from"u8, versions.From);
                writer.WriteNumber("to"u8, versions.To);
            }
            writer.WriteEndObject();
        }
        return buffer.WrittenMemory;
    }

    /// <summary>Read gives the request with what became of it, for a client that knows the log to be in this period.</summary>
    public static ErasureResult Read(byte[] answer, ErasureResult request, Uri server, ulong period) => RequestOutcomeJson.ReadStatus(answer, server, "an erasure", (status, root) => status switch
    {
        "pending" => request,
        "erased" => request with
        {
            Status = ErasureStatus.Erased,
            Epoch = root.GetProperty("epoch").GetUInt64(),
            Erased = [.. root.GetProperty("erased").EnumerateArray().Select(Version).Select(version => IsAsked(request, version, period) ? version : throw new FormatException("erased"))],
        },
        "refused" => request with
        {
            Status = ErasureStatus.Refused,
            RefusedBecause = RequestOutcomeJson.ReasonName(root.GetProperty("reason").GetString()),
            Current = RequestOutcomeJson.Current(root),
        },
        _ => throw new FormatException("unknown status"),
    });

    // A receipt for other versions says nothing about those that were to go. Version 1 may be a copy, with which what it was made of goes. Of a user who has left all lists go, and all keys of their devices.
    private static bool IsAsked(ErasureResult request, ErasedVersion erased, ulong period) => request.Versions is { } versions
        ? erased.Structure == (request.Key is null ? StructureId.Devices : StructureId.Keys)
            && ((erased.Version.Version >= versions.From && erased.Version.Version <= versions.To) || (versions.From == 1 && erased.Version.Period < period))
        : erased.Structure is StructureId.Devices or StructureId.Keys;

    private static ErasedVersion Version(JsonElement element) =>
        new(RequestOutcomeJson.Structure(element), RequestOutcomeJson.Number(element), element.GetProperty("epoch").GetUInt64());
}
