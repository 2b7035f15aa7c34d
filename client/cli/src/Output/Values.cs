using System.Text.Json;
using Optiks.Client;
using Optiks.Protocol;

namespace Optiks.Cli;

/// <summary>
/// Shows values to people. Long values are truncated here; only JSON output has them in full. For a value with a note it shows only the
/// payload, and the surrounding text says that there is a note.
/// </summary>
internal static class Values
{
    /// <summary>
    /// The text to show instead of a value that no replica showed, because the value was erased or all replicas withhold it.
    /// </summary>
    public const string NotShown = "(not shown: erased, or withheld)";

    private const int MaxShown = 400;

    public static string Show(ReadOnlyMemory<byte> value) =>
        DisplayText.Show(NotedValue.TryDecode(value, out NotedValue noted) ? noted.Payload.Span : value.Span, MaxShown);

    public static string Show(KeyVersion version) => version.Value is { } value ? Show(value) : NotShown;

    /// <summary>
    /// Returns the words that say that a value has a note, to print before the value. Without these words, a value with a note would look
    /// like a value without a note.
    /// </summary>
    public static string Note(ReadOnlyMemory<byte>? value) => IsNoted(value) ? " with a note" : "";

    /// <summary>Returns the label to print before a value on a line of its own.</summary>
    public static string Name(ReadOnlyMemory<byte> value) => IsNoted(value) ? "payload" : "value  ";

    /// <summary>Tells whether the value has a note, which means that it decodes as a <see cref="NotedValue"/>.</summary>
    public static bool IsNoted(ReadOnlyMemory<byte>? value) => value is { } octets && NotedValue.TryDecode(octets, out _);

    /// <summary>Returns a note's number and text, for people.</summary>
    public static string ShowNote(OwnerNote note) => $"note {note.Sequence}: {DisplayText.Show(note.Text.Span, MaxShown)}";

    /// <summary>Writes the whole value, and also the payload if the value has a note.</summary>
    public static void Write(Utf8JsonWriter writer, ReadOnlyMemory<byte> value)
    {
        AnswerJson.WriteValue(writer, value.Span);
        if (NotedValue.TryDecode(value, out NotedValue noted))
        {
            WriteOctets(writer, "payload", noted.Payload.Span);
        }
    }

    /// <summary>Writes a note in the JSON member <c>note</c>.</summary>
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
