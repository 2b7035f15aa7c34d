using System.CommandLine;
using System.Text;
using Optiks.Client;
using Optiks.Protocol;

namespace Optiks.Cli;

/// <summary>
/// The option <c>--note</c> of a command that sets values: the owner's note, which the client's state stores and to which the value commits
/// (docs/spec/user-monitor.md section 8).
/// </summary>
internal sealed class NoteArgument
{
    private readonly Option<string?> _note = new("--note")
    {
        Description = "keep a note about this change here, numbered, and let the value commit to it; nobody else can read it",
        HelpName = "TEXT",
    };

    public void AddTo(Command command) => command.Options.Add(_note);

    /// <summary>
    /// Returns the length of the value that the command sends. A note makes this value longer. The parameter <paramref name="value"/> is
    /// the length of the value that the user gives. Throws <see cref="UsageException"/> for a note that is too long.
    /// </summary>
    public int Length(ParseResult parse, int value) => Text(parse) is not { } text ? value
        : text.Length <= OwnerNote.MaxTextLength ? value + NotedValue.Overhead
        : throw new UsageException($"A note has at most {OwnerNote.MaxTextLength} octets, not {text.Length}.");

    /// <summary>
    /// Returns the value that the command sends under a request id. If the user gives a note, the note is durable when the call returns,
    /// and the value commits to the note.
    /// </summary>
    public ReadOnlyMemory<byte> Value(
        ParseResult parse, OptiksClient client, ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> value, Guid requestId)
    {
        try
        {
            return Text(parse) is { } text ? client.KeepNote(key, value, text, requestId) : value;
        }
        catch (InvalidOperationException e)
        {
            throw new UsageException($"{e.Message} With --request-id give the same value and the same --note again.", e);
        }
    }

    private byte[]? Text(ParseResult parse) => parse.GetValue(_note) is { } text ? Encoding.UTF8.GetBytes(text) : null;
}
