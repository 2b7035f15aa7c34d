using System.Text.Json.Serialization;

namespace Optiks.Client;

/// <summary>The form of state files. Private to this library, and strict, so that a damaged file is noticed.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.SnakeCaseLower,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
    UnmappedMemberHandling = JsonUnmappedMemberHandling.Disallow,
    AllowDuplicateProperties = false,
    RespectRequiredConstructorParameters = true,
    RespectNullableAnnotations = true,
    UseStringEnumConverter = true)]
[JsonSerializable(typeof(ClientState))]
[JsonSerializable(typeof(AuditState))]
internal sealed partial class StateJson : JsonSerializerContext;
