using System.Text.Json;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>UpdateStatusJson reads the state of an update (docs/spec/rest.md section 5). The server's word: only a lookup proves anything.</summary>
internal static class UpdateStatusJson
{
    private const int MaxReasonLength = 200;

    public static UpdateResult Parse(byte[] answer, UpdateResult pending, Uri server)
    {
        try
        {
            using var document = JsonDocument.Parse(answer);
            JsonElement root = document.RootElement;
            return root.GetProperty("status").GetString() switch
            {
                "pending" => pending,
                "published" => pending with
                {
                    Status = UpdateStatus.Published,
                    Epoch = root.GetProperty("epoch").GetUInt64(),
                    Version = Number(root.GetProperty("items")[0]),
                },
                "refused" => pending with
                {
                    Status = UpdateStatus.Refused,
                    RefusedBecause = root.GetProperty("reason").GetString() is { } reason ? DisplayText.Escape(reason, MaxReasonLength) : null,
                    Current = root.TryGetProperty("current", out JsonElement current) ? Number(current) : null,
                },
                _ => throw new FormatException("unknown status"),
            };
        }
        catch (Exception e) when (e is JsonException or InvalidOperationException or KeyNotFoundException or FormatException or IndexOutOfRangeException)
        {
            throw new OptiksServerException(ServerFailure.Unusable, server, $"{server.Authority} answered with something that is not the status of an update.", e);
        }
    }

    private static KeyVersionNumber Number(JsonElement element) =>
        new(element.GetProperty("period").GetUInt64(), element.GetProperty("version").GetUInt64());
}
