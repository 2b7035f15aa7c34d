using System.Text.Json;
using Optiks.Client;
using Optiks.Protocol;

namespace Optiks.Cli;

/// <summary>Values shows values to people; --json prints what is cut here. Of a value with a note it is the payload, and what is printed around it says so.</summary>
internal static class Values
{
    /// <summary>NotShown stands for a value that no replica showed: it was erased, or they withhold it.</summary>
    public const string NotShown = "(not shown: erased, or withheld)";

    private const int MaxShown = 400;

    public static string Show(ReadOnlyMemory<byte> value) => DisplayText.Show(NotedValue.TryDecode(value, out NotedValue noted) ? noted.Payload.Span : value.Span, MaxShown);

    public static string Show(KeyVersion version) => version.Value is { } value ? Show(value) : NotShown;

    /// <summary>Note says, before a value, that it has a note: so that no two values look alike.</summary>
    public static string Note(ReadOnlyMemory<byte>? value) => IsNoted(value) ? " with a note" : "";

    /// <summary>What a value alone on its line is called.</summary>
    public static string Name(ReadOnlyMemory<byte> value) => IsNoted(value) ? "payload" : "value  ";

    /// <summary>IsNoted: the value is a NotedValue.</summary>
    public static bool IsNoted(ReadOnlyMemory<byte>? value) => value is { } octets && NotedValue.TryDecode(octets, out _);

    /// <summary>ShowNote gives a note as people read it, with its number.</summary>
    public static string ShowNote(OwnerNote note) => $"note {note.Sequence}: {DisplayText.Show(note.Text.Span, MaxShown)}";

    /// <summary>Write writes the whole value, and of one with a note the payload likewise.</summary>
    public static void Write(Utf8JsonWriter writer, ReadOnlyMemory<byte> value)
    {
        AnswerJson.WriteValue(writer, value.Span);
        if (NotedValue.TryDecode(value, out NotedValue noted))
        {
            WriteOctets(writer, "payload", noted.Payload.Span);
        }
    }

    /// <summary>WriteNote writes a note as the member <c>note</c>.</summary>
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
