using System.Text.Json.Serialization;

namespace Optiks.Auditor;

/// <summary>The JSON form of the auditor's files. It is strict, so that reading a damaged or misspelt file fails.</summary>
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
