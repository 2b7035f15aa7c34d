using System.Text.Json;
using Optiks.Client;
using Optiks.Protocol;

namespace Optiks.Cli;

/// <summary>VersionJson writes one version of a key.</summary>
internal static class VersionJson
{
    public static void Write(Utf8JsonWriter writer, KeyVersion version)
    {
        writer.WriteStartObject();
        writer.WriteNumber("version"u8, version.Version);
        writer.WriteNumber("epoch"u8, version.Epoch);
        if (version.Value is { } value)
        {
            AnswerJson.WriteValue(writer, value.Span);
        }
        else
        {
            writer.WriteBoolean("erased"u8, true);
        }
        writer.WriteEndObject();
    }
}
