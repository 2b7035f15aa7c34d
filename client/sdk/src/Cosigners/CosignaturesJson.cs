using System.Text;
using System.Text.Json;

namespace Optiks.Client;

/// <summary>Parses the answer to <c>GET /v1/cosignatures</c> (docs/spec/cosigners.md section 1), strictly and within bounds.</summary>
internal static class CosignaturesJson
{
    /// <summary>
    /// The greatest length of an answer. It has room for the notes of as many cosigners as a server may have, and for the escapes of JSON.
    /// </summary>
    public const int MaxLength = 256 * 1024;

    /// <summary>The most notes of an answer. An answer with more notes counts as one without notes.</summary>
    public const int MaxNotes = 64;

    /// <summary>Returns the notes of an answer; an empty list if the answer does not have the expected form.</summary>
    public static IReadOnlyList<byte[]> Read(ReadOnlyMemory<byte> answer)
    {
        try
        {
            using var document = StrictJson.Parse(answer);
            JsonElement root = document.RootElement;
            return root.ValueKind == JsonValueKind.Object && root.EnumerateObject().Count() == 1
                && root.TryGetProperty("checkpoints"u8, out JsonElement list)
                && list.ValueKind == JsonValueKind.Array && list.GetArrayLength() <= MaxNotes
                && list.EnumerateArray().All(note => note.ValueKind == JsonValueKind.String)
                ? [.. list.EnumerateArray().Select(note => Encoding.UTF8.GetBytes(note.GetString()!))]
                : [];
        }
        // GetString throws an InvalidOperationException when the text has half of a surrogate pair.
        catch (Exception e) when (e is JsonException or InvalidOperationException)
        {
            return [];
        }
    }
}
