using System.Text.Json.Serialization;

namespace Optiks.Auditor;

/// <summary>AuditorJson is the form of the auditor's files; strict, so that a damaged or misspelt one is noticed.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.SnakeCaseLower,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
    UnmappedMemberHandling = JsonUnmappedMemberHandling.Disallow,
    AllowDuplicateProperties = false,
    RespectRequiredConstructorParameters = true,
    RespectNullableAnnotations = true,
    IgnoreReadOnlyProperties = true,
    WriteIndented = true)]
[JsonSerializable(typeof(SignedStatement))]
[JsonSerializable(typeof(Finding))]
[JsonSerializable(typeof(AuditorFile))]
internal sealed partial class AuditorJson : JsonSerializerContext;
