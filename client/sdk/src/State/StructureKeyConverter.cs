using System.Globalization;
using System.Text.Json;
using System.Text.Json.Serialization;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>Writes the name of a structure's key as one text, for example <c>3:YWxpY2U</c>.</summary>
internal sealed class StructureKeyConverter : JsonConverter<StructureKey>
{
    public override StructureKey Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) =>
        Parse(reader.GetString());

    public override void Write(Utf8JsonWriter writer, StructureKey value, JsonSerializerOptions options) =>
        writer.WriteStringValue(Text(value));

    public override StructureKey ReadAsPropertyName(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) =>
        Parse(reader.GetString());

    public override void WriteAsPropertyName(Utf8JsonWriter writer, StructureKey value, JsonSerializerOptions options) =>
        writer.WritePropertyName(Text(value));

    private static string Text(StructureKey key) => string.Create(CultureInfo.InvariantCulture, $"{(int)key.Structure}:{key.Id}");

    private static StructureKey Parse(string? text)
    {
        StructureId structure = text is [_, ':', _, ..] ? (StructureId)(text[0] - '0') : StructureId.None;
        return structure is >= StructureId.Usernames and <= StructureId.Decommissioned
            ? new StructureKey(structure, text![2..])
            : throw new JsonException("a key is of no structure");
    }
}
