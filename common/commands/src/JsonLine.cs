using System.Buffers;
using System.Text;
using System.Text.Json;
using Optiks.Protocol;

namespace Optiks.Commands;

/// <summary>Writes one JSON object on one line, for scripts to parse.</summary>
public static class JsonLine
{
    private static readonly JsonWriterOptions s_options = new() { Encoder = AnswerJson.Encoder };

    /// <summary>Returns the JSON object whose members the given action writes. The text has no line end.</summary>
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
        // Characters that are not safe to show occur only inside JSON strings, where an escape sequence has the same meaning as the
        // character.
        return DisplayText.Escape(Encoding.UTF8.GetString(buffer.WrittenSpan));
    }
}
