using System.Buffers;
using System.Text.Json;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// Writes requests to erase values, and reads their outcomes (docs/spec/erasure.md section 4). An outcome is only the server's statement:
/// nothing proves it.
/// </summary>
internal static class ErasureJson
{
    public static ReadOnlyMemory<byte> Body(ErasureResult request)
    {
        var buffer = new ArrayBufferWriter<byte>();
        using (var writer = new Utf8JsonWriter(buffer))
        {
            writer.WriteStartObject();
            writer.WriteString("request_id"u8, request.RequestId);
            if (request.Structure == StructureId.Keys)
            {
                writer.WriteString("key_b64"u8, Base64UrlText.Encode(request.Key!.Value.Span));
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

    /// <summary>
    /// Returns the request with its outcome. The parameter <paramref name="period"/> is the log's current period, as far as the client
    /// knows.
    /// </summary>
    public static ErasureResult Read(byte[] answer, ErasureResult request, Uri server, ulong period) =>
        RequestOutcomeJson.ReadStatus(answer, server, "an erasure", (status, root) => status switch
    {
        "pending" => request,
        "erased" => request with
        {
            Status = ErasureStatus.Erased,
            Epoch = root.GetProperty("epoch").GetUInt64(),
            Erased = [.. root.GetProperty("erased").EnumerateArray().Select(Version)
                .Select(version => IsAsked(request, version, period) ? version : throw new FormatException("erased"))],
        },
        "refused" => request with
        {
            Status = ErasureStatus.Refused,
            RefusedBecause = RequestOutcomeJson.ReasonName(root.GetProperty("reason").GetString()),
            Current = RequestOutcomeJson.Current(root),
        },
        _ => throw new FormatException("unknown status"),
    });

    // The server's answer must be about the versions that were to be erased. If version 1 is a copy, the request also erases the versions
    // of earlier periods from which the log made that copy. A request that erases everything of a user who has left erases all device lists
    // and all keys of the user's devices.
    private static bool IsAsked(ErasureResult request, ErasedVersion erased, ulong period) => request.Versions is { } versions
        ? erased.Structure == request.Structure
            && ((erased.Version.Version >= versions.From && erased.Version.Version <= versions.To)
                || (versions.From == 1 && erased.Version.Period < period))
        : erased.Structure is StructureId.Devices or StructureId.Keys;

    private static ErasedVersion Version(JsonElement element) =>
        new(RequestOutcomeJson.Structure(element), RequestOutcomeJson.Number(element), element.GetProperty("epoch").GetUInt64());
}
