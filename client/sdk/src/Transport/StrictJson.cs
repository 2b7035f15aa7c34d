using System.Text.Json;

namespace Optiks.Client;

/// <summary>
/// Parses the JSON of servers' answers. An object that has a member twice is refused, because two clients could read different values from
/// it.
/// </summary>
internal static class StrictJson
{
    // The deepest answer, the status of a request, has three levels.
    private static readonly JsonDocumentOptions s_strict = new() { AllowDuplicateProperties = false, MaxDepth = 8 };

    /// <summary>Parses an answer. Throws <see cref="JsonException"/> if it is not strict JSON.</summary>
    public static JsonDocument Parse(ReadOnlyMemory<byte> answer) => JsonDocument.Parse(answer, s_strict);
}
