using System.Text;
using System.Text.Json;

namespace Optiks.Client;

/// <summary>CosignaturesJson reads <c>GET /v1/cosignatures</c> (docs/spec/cosigners.md section 1), strictly and within bounds.</summary>
internal static class CosignaturesJson
{
    /// <summary>MaxLength of an answer: notes of the most cosigners of a server, with room for escapes.</summary>
    public const int MaxLength = 256 * 1024;

    /// <summary>MaxNotes that are looked at.</summary>
    public const int MaxNotes = 64;

    private static readonly JsonDocumentOptions s_strict = new() { AllowDuplicateProperties = false, MaxDepth = 2 };

    /// <summary>Read gives the notes; none of an answer that is not of this form.</summary>
    public static IReadOnlyList<byte[]> Read(ReadOnlyMemory<byte> answer)
    {
        try
        {
            using var document = JsonDocument.Parse(answer, s_strict);
            JsonElement root = document.RootElement;
            return root.ValueKind == JsonValueKind.Object && root.EnumerateObject().Count() == 1 && root.TryGetProperty("checkpoints"u8, out JsonElement list)
                && list.ValueKind == JsonValueKind.Array && list.EnumerateArray().All(note => note.ValueKind == JsonValueKind.String)
                ? [.. list.EnumerateArray().Take(MaxNotes).Select(note => Encoding.UTF8.GetBytes(note.GetString()!))]
                : [];
        }
        // Half of a character is no text.
        catch (Exception e) when (e is JsonException or InvalidOperationException)
        {
            return [];
        }
    }
}
