using System.CommandLine;

namespace Optiks.Commands;

/// <summary>Names a command by the words that a user types for it.</summary>
internal static class CommandPath
{
    /// <summary>Returns a command's path without the program, such as <c>key generate</c>; empty for the program itself.</summary>
    public static string Format(Command command) => command is RootCommand
        ? ""
        : command.Parents.OfType<Command>().Select(Format).FirstOrDefault() is { Length: > 0 } parent ? $"{parent} {command.Name}" : command.Name;

    /// <summary>Returns the path with the program's name.</summary>
    public static string Full(string program, Command command) => Format(command) is { Length: > 0 } path ? $"{program} {path}" : program;
}
