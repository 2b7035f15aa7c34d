using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;

namespace Optiks.Db;

/// <summary>JsonText writes one JSON object for scripts.</summary>
internal static class JsonText
{
    // The output is for terminals and scripts, never inside HTML: paths stay readable.
    private static readonly JsonWriterOptions Options = new() { Indented = true, Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    /// <summary>Write returns the object whose members the action writes.</summary>
    public static string Write(Action<Utf8JsonWriter> members)
    {
        using var stream = new MemoryStream();
        using (var writer = new Utf8JsonWriter(stream, Options))
        {
            writer.WriteStartObject();
            members(writer);
            writer.WriteEndObject();
        }
        return Encoding.UTF8.GetString(stream.GetBuffer(), 0, (int)stream.Length);
    }
}
