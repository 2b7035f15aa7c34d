using System.Text.Json;
using Optiks.Client;

namespace Optiks.Cli;

/// <summary>Prints versions of a key.</summary>
internal static class VersionList
{
    /// <summary>
    /// Writes the versions as a JSON list, in the member with the given <paramref name="name"/>, together with the key's notes in the
    /// client's state.
    /// </summary>
    public static void Write(
        Utf8JsonWriter writer, string name, ReadOnlyMemory<byte> key, IEnumerable<KeyVersion> versions, NoteFinder? notes)
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

    /// <summary>
    /// Returns the words for the epoch that published a version. A copy has no epoch of its own, because the first epoch of its period
    /// published it.
    /// </summary>
    public static string Epoch(ulong epoch, bool isCopy) => isCopy ? "copy" : $"epoch {epoch}";

    /// <summary>Returns the words for a period; empty for the first period.</summary>
    public static string Period(ulong period) => period == 0 ? "" : $", period {period}";

    /// <summary>Prints the versions for people, one per line. A note has its own line, so that no value can look like a note.</summary>
    public static void Show(TextWriter output, ReadOnlyMemory<byte> key, IEnumerable<KeyVersion> versions, NoteFinder? notes)
    {
        foreach (KeyVersion version in versions)
        {
            output.WriteLine(
                $"  version {version.Version,-4} {Epoch(version.Epoch, version.IsCopy),-14} {Values.Show(version)}{Period(version.Period)}");
            if (Values.IsNoted(version.Value))
            {
                output.WriteLine(
                    $"               {(notes?.Invoke(key, version) is { } note ? Values.ShowNote(note) : "with a note that is not kept here")}");
            }
        }
    }
}
