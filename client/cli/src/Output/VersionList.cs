using System.Text.Json;
using Optiks.Client;
using Optiks.Protocol;

namespace Optiks.Cli;

/// <summary>VersionList prints versions of a key.</summary>
internal static class VersionList
{
    /// <summary>Write writes them as a list that is the member <paramref name="name"/>.</summary>
    public static void Write(Utf8JsonWriter writer, string name, IEnumerable<KeyVersion> versions)
    {
        writer.WriteStartArray(name);
        foreach (KeyVersion version in versions)
        {
            writer.WriteStartObject();
            writer.WriteNumber("period"u8, version.Period);
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
        writer.WriteEndArray();
    }

    /// <summary>Epoch in which a version was published: with a period's first one, if it is a copy.</summary>
    public static string Epoch(ulong epoch, bool isCopy) => isCopy ? "copy" : $"epoch {epoch}";

    /// <summary>Period is told where there is more than the first.</summary>
    public static string Period(ulong period) => period == 0 ? "" : $", period {period}";

    /// <summary>Show prints them for people, one a line.</summary>
    public static void Show(TextWriter output, IEnumerable<KeyVersion> versions)
    {
        foreach (KeyVersion version in versions)
        {
            output.WriteLine($"  version {version.Version,-4} {Epoch(version.Epoch, version.IsCopy),-14} {Values.Show(version)}{Period(version.Period)}");
        }
    }
}
