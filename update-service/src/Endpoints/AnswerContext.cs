using System.Text.Json.Serialization;

namespace Optiks.UpdateService.Endpoints;

/// <summary>Serializes the service's answers, with the member names that docs/spec/rest.md defines.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.SnakeCaseLower, DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
[JsonSerializable(typeof(UpdateStatusBody))]
[JsonSerializable(typeof(ErasureStatusBody))]
internal sealed partial class AnswerContext : JsonSerializerContext;
