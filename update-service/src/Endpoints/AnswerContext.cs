using System.Text.Json.Serialization;

namespace Optiks.UpdateService.Endpoints;

/// <summary>Serializes the service's answers, with the members' names of docs/spec/rest.md.</summary>
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.SnakeCaseLower, DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
[JsonSerializable(typeof(UpdateStatusBody))]
[JsonSerializable(typeof(ErasureStatusBody))]
internal sealed partial class AnswerContext : JsonSerializerContext;
