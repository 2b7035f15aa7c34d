using System.Text.Json;

namespace Optiks.Protocol;

public static partial class AnswerJson
{
    /// <summary>Renders a PeriodsAnswer as the JSON object <c>{"head": ..., "bounds": [...]}</c>.</summary>
    public static void WritePeriodsAnswer(Utf8JsonWriter writer, ReadOnlyMemory<byte> answer)
    {
        ArgumentNullException.ThrowIfNull(writer);
        var decoded = PeriodsAnswer.Decode(answer);
        writer.WriteStartObject();
        WriteHead(writer, "head", decoded.Head);
        WriteParts(writer, "bounds", decoded.Bounds);
        writer.WriteEndObject();
    }

    private static void WriteParts(Utf8JsonWriter writer, string name, IReadOnlyList<PartRecord> parts)
    {
        writer.WriteStartArray(name);
        foreach (PartRecord part in parts)
        {
            writer.WriteStartObject();
            WriteOctets(writer, "record", part.Record);
            writer.WritePropertyName("record_fields"u8);
            WriteRecord(writer, part.Record.Span);
            WriteOctets(writer, "inclusion", part.Inclusion);
            writer.WriteEndObject();
        }
        writer.WriteEndArray();
    }
}
