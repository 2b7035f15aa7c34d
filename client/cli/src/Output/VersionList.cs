using System.Text.Json;
using Optiks.Client;

namespace Optiks.Cli;

/// <summary>VersionList prints versions of a key.</summary>
internal static class VersionList
{
    /// <summary>Write writes them as a list that is the member <paramref name="name"/>, with those notes of the key that are kept here.</summary>
    public static void Write(Utf8JsonWriter writer, string name, ReadOnlyMemory<byte> key, IEnumerable<KeyVersion> versions, NoteFinder? notes)
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
                Values.Write(writer, value);
            }
            else
            {
                writer.WriteBoolean("not_shown"u8, true);
            }
            if (notes?.Invoke(key, version) is { } note)
            {
                Values.WriteNote(writer, note);
            }
            writer.WriteEndObject();
        }
        writer.WriteEndArray();
    }

    /// <summary>Epoch in which a version was published: with a period's first one, if it is a copy.</summary>
    public static string Epoch(ulong epoch, bool isCopy) => isCopy ? "copy" : $"epoch {epoch}";

    /// <summary>Period is told where there is more than the first.</summary>
    public static string Period(ulong period) => period == 0 ? "" : $", period {period}";

    /// <summary>Show prints them for people, one a line. A note has a line of its own, so that no value can look like one.</summary>
    public static void Show(TextWriter output, ReadOnlyMemory<byte> key, IEnumerable<KeyVersion> versions, NoteFinder? notes)
    {
        foreach (KeyVersion version in versions)
        {
            output.WriteLine($"  version {version.Version,-4} {Epoch(version.Epoch, version.IsCopy),-14} {Values.Show(version)}{Period(version.Period)}");
            if (Values.IsNoted(version.Value))
            {
                output.WriteLine($"               {(notes?.Invoke(key, version) is { } note ? Values.ShowNote(note) : "with a note that is not kept here")}");
            }
        }
    }
}
