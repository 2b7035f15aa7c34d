using System.Buffers;
using System.Text.Json;

namespace Optiks.Stress.Settling;

/// <summary>Encodes the bodies of requests with updates (docs/spec/rest.md section 5). Each update has its own request id.</summary>
internal static class UpdateBody
{
    public static byte[] Encode(IReadOnlyList<UpdateItem> items, KeySpace keys, bool list)
    {
        var buffer = new ArrayBufferWriter<byte>(items.Count * (keys.ValueLength + 128));
        using (var writer = new Utf8JsonWriter(buffer, new JsonWriterOptions { SkipValidation = true }))
        {
            if (list)
            {
                writer.WriteStartArray();
            }
            foreach (UpdateItem item in items)
            {
                writer.WriteStartObject();
                writer.WriteString("request_id"u8, item.RequestId);
                writer.WriteString("key"u8, item.Key);
                writer.WriteString("value"u8, keys.Value(item.Key, item.RequestId));
                writer.WriteEndObject();
            }
            if (list)
            {
                writer.WriteEndArray();
            }
        }
        return buffer.WrittenSpan.ToArray();
    }
}
