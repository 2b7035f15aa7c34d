using System.Text.Json;
using Optiks.Protocol;

namespace Optiks.Commands;

/// <summary>Says why a command has no result: one sentence, the next step, and the exit code.</summary>
/// <param name="ExitCode">One of <see cref="ExitCodes"/>.</param>
/// <param name="Reason">The reason's name for scripts, such as <c>unreachable</c>.</param>
/// <param name="Message">The sentence.</param>
/// <param name="Hint">The next step for the user; null if <paramref name="Message"/> already says it.</param>
/// <param name="More">Writes further members of the JSON object; null if the object has no further members.</param>
public sealed record CommandFailure(int ExitCode, string Reason, string Message, string? Hint = null, Action<Utf8JsonWriter>? More = null)
{
    /// <summary>
    /// Prints the failure for people to standard error; with JSON, also prints an object without a verdict to standard output. Returns the
    /// exit code.
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

    // If a stream cannot be written (a full disk), which may be the very failure to report, only the exit code reports it.
    private static void TryWriteLine(TextWriter writer, string text)
    {
        try
        {
            writer.WriteLine(text);
        }
        catch (IOException)
        {
            // Prints nothing: standard error itself cannot be written, and the exit code reports the failure.
        }
    }
}
