using System.Text.Json;

namespace Optiks.Db;

/// <summary>Writes the parts of JSON that several commands print.</summary>
internal static class JsonText
{
    public static void WriteList(Utf8JsonWriter writer, string name, IEnumerable<string> values)
    {
        writer.WriteStartArray(name);
        foreach (string value in values)
        {
            writer.WriteStringValue(value);
        }
        writer.WriteEndArray();
    }
}
