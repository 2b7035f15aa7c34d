using System.Text.Json.Serialization;

namespace Optiks.Client;

/// <summary>The JSON form of an auditor's state. It is private to this library, and strict, so that reading a damaged file fails.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.SnakeCaseLower,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
    UnmappedMemberHandling = JsonUnmappedMemberHandling.Disallow,
    AllowDuplicateProperties = false,
    RespectRequiredConstructorParameters = true,
    RespectNullableAnnotations = true,
    UseStringEnumConverter = true)]
[JsonSerializable(typeof(AuditState))]
internal sealed partial class StateJson : JsonSerializerContext;
