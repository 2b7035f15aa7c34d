using System.Text.Json;

namespace Optiks.Stress.Settling;

/// <summary>Holds the update-service's answer about the status of a request that has one item.</summary>
/// <param name="Status">The status, which is pending, published or refused, or unusable-answer if the answer has another status.</param>
/// <param name="Published">The period, version and epoch of the update; null unless the update was published.</param>
internal readonly record struct StatusText(string Status, VersionCheck.Published? Published)
{
    private static readonly StatusText s_unusable = new("unusable-answer", null);

    public static StatusText Parse(ReadOnlyMemory<byte> json)
    {
        try
        {
            using var document = JsonDocument.Parse(json);
            JsonElement root = document.RootElement;
            switch (root.GetProperty("status").GetString())
            {
                case "pending":
                    return new StatusText("pending", null);
                case "refused":
                    return new StatusText("refused", null);
                case "published":
                    JsonElement items = root.GetProperty("items");
                    return items.GetArrayLength() == 1
                        ? new StatusText("published",
                            new VersionCheck.Published(Number(items[0], "period"), Number(items[0], "version"), Number(root, "epoch")))
                        : s_unusable;
                default:
                    return s_unusable;
            }
        }
        catch (Exception e) when (e is JsonException or KeyNotFoundException or InvalidOperationException or FormatException)
        {
            return s_unusable;
        }
    }

    private static ulong Number(JsonElement parent, string name) => parent.GetProperty(name).GetUInt64();
}
