using System.Buffers;
using System.Text;
using System.Text.Json;
using Optiks.Protocol;

namespace Optiks.Commands;

/// <summary>JsonLine writes one JSON object on one line, for scripts, that a terminal only shows.</summary>
public static class JsonLine
{
    private static readonly JsonWriterOptions s_options = new() { Encoder = AnswerJson.Encoder };

    /// <summary>Write returns the object whose members the action writes, without a line end.</summary>
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
        // What is not safe to show stands in strings only, where its escape means the same.
        return DisplayText.Escape(Encoding.UTF8.GetString(buffer.WrittenSpan));
    }
}
