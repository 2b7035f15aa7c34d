using System.Text.Json;
using Optiks.Protocol;

namespace Optiks.Commands;

/// <summary>Describes why a command has no result, with one sentence, the next step and the exit code.</summary>
/// <param name="ExitCode">One of <see cref="ExitCodes"/>.</param>
/// <param name="Reason">The name of the reason, such as <c>unreachable</c>, which scripts read.</param>
/// <param name="Message">The sentence.</param>
/// <param name="Hint">The next step for the user; null if <paramref name="Message"/> already says it.</param>
/// <param name="More">The action that writes further members of the JSON object; null if the object has no further members.</param>
public sealed record CommandFailure(int ExitCode, string Reason, string Message, string? Hint = null, Action<Utf8JsonWriter>? More = null)
{
    /// <summary>
    /// Prints the failure as text to standard error. If the parameter <paramref name="json"/> is true, also prints a JSON object without a
    /// verdict to standard output. Returns the exit code.
    /// </summary>
    public int Print(bool json, TextWriter output, TextWriter error)
    {
        ArgumentNullException.ThrowIfNull(output);
        ArgumentNullException.ThrowIfNull(error);
        string line = DisplayText.Escape(ErrorText.Line(Message));
        if (json)
        {
            TryWriteLine(output, JsonLine.Write(writer =>
            {
                writer.WriteNull("verdict"u8);
                writer.WriteString("reason"u8, Reason);
                writer.WriteNull("epoch"u8);
                writer.WriteString("error"u8, line);
                More?.Invoke(writer);
            }));
        }
        TryWriteLine(error, $"error: {line}{(Hint is null ? "" : $"{Environment.NewLine}  {Hint}")}");
        return ExitCode;
    }

    // Ignores a failure to write, for example to a full disk. The full disk may even be the failure that this class reports. The exit code
    // still reports the failure.
    private static void TryWriteLine(TextWriter writer, string text)
    {
        try
        {
            writer.WriteLine(text);
        }
        catch (IOException)
        {
            // The failure cannot be printed, because the stream cannot be written. The exit code still reports it.
        }
    }
}
