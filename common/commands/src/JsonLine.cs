using System.Buffers;
using System.Text;
using System.Text.Json;
using Optiks.Protocol;

namespace Optiks.Commands;

/// <summary>Writes one JSON object on one line, for scripts to parse.</summary>
public static class JsonLine
{
    private static readonly JsonWriterOptions s_options = new() { Encoder = AnswerJson.Encoder };

    /// <summary>Returns the object whose members the action writes, without a line end.</summary>
    public static string Write(Action<Utf8JsonWriter> members)
    {
        ArgumentNullException.ThrowIfNull(members);
        var buffer = new ArrayBufferWriter<byte>();
        using (var writer = new Utf8JsonWriter(buffer, s_options))
        {
            writer.WriteStartObject();
            members(writer);
            writer.WriteEndObject();
        }
        // Characters that are not safe to show occur only in JSON strings. There, an escape has the same meaning as the character.
        return DisplayText.Escape(Encoding.UTF8.GetString(buffer.WrittenSpan));
    }
}
