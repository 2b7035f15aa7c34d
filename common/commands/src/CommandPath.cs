using System.CommandLine;

namespace Optiks.Commands;

/// <summary>Formats the words with which a user calls a command.</summary>
internal static class CommandPath
{
    /// <summary>Returns the words of a command without the program's name, such as <c>key generate</c>. For the program itself, the result
    /// is empty.</summary>
    public static string Format(Command command) => command is RootCommand
        ? ""
        : command.Parents.OfType<Command>().Select(Format).FirstOrDefault() is { Length: > 0 } parent
            ? $"{parent} {command.Name}"
            : command.Name;

    /// <summary>Returns the words of a command, beginning with the program's name.</summary>
    public static string Full(string program, Command command) => Format(command) is { Length: > 0 } path ? $"{program} {path}" : program;
}
