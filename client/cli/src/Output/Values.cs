using System.Text.Json;
using Optiks.Client;
using Optiks.Protocol;

namespace Optiks.Cli;

/// <summary>
/// Shows values to people; --json prints in full what is truncated here. For a value with a note it shows the payload, and the surrounding
/// text says so.
/// </summary>
internal static class Values
{
    /// <summary>Shown instead of a value that no replica showed: it was erased, or they withhold it.</summary>
    public const string NotShown = "(not shown: erased, or withheld)";

    private const int MaxShown = 400;

    public static string Show(ReadOnlyMemory<byte> value) => DisplayText.Show(NotedValue.TryDecode(value, out NotedValue noted) ? noted.Payload.Span : value.Span, MaxShown);

    public static string Show(KeyVersion version) => version.Value is { } value ? Show(value) : NotShown;

    /// <summary>Says, before a value, that it has a note, so that no two values look alike.</summary>
    public static string Note(ReadOnlyMemory<byte>? value) => IsNoted(value) ? " with a note" : "";

    /// <summary>Returns the label of a value alone on its line.</summary>
    public static string Name(ReadOnlyMemory<byte> value) => IsNoted(value) ? "payload" : "value  ";

    /// <summary>Whether the value is a NotedValue.</summary>
    public static bool IsNoted(ReadOnlyMemory<byte>? value) => value is { } octets && NotedValue.TryDecode(octets, out _);

    /// <summary>Returns a note as people read it, with its number.</summary>
    public static string ShowNote(OwnerNote note) => $"note {note.Sequence}: {DisplayText.Show(note.Text.Span, MaxShown)}";

    /// <summary>Writes the whole value, and the payload too if it has a note.</summary>
    public static void Write(Utf8JsonWriter writer, ReadOnlyMemory<byte> value)
    {
        AnswerJson.WriteValue(writer, value.Span);
        if (NotedValue.TryDecode(value, out NotedValue noted))
        {
            WriteOctets(writer, "payload", noted.Payload.Span);
        }
    }

    /// <summary>Writes a note as the member <c>note</c>.</summary>
    public static void WriteNote(Utf8JsonWriter writer, OwnerNote note)
    {
        writer.WriteStartObject("note"u8);
        writer.WriteNumber("sequence"u8, note.Sequence);
        WriteOctets(writer, "text", note.Text.Span);
        writer.WriteEndObject();
    }

    private static void WriteOctets(Utf8JsonWriter writer, string name, ReadOnlySpan<byte> octets)
    {
        writer.WriteString($"{name}_b64", Base64UrlText.Encode(octets));
        if (DisplayText.IsText(octets))
        {
            writer.WriteString(name, octets);
        }
    }
}
