using System.CommandLine;

namespace Optiks.Commands;

/// <summary>CommandPath names a command by what is typed for it.</summary>
internal static class CommandPath
{
    /// <summary>Of a command without the program: <c>key generate</c>; empty for the program itself.</summary>
    public static string Of(Command command) => command is RootCommand
        ? ""
        : command.Parents.OfType<Command>().Select(Of).FirstOrDefault() is { Length: > 0 } parent ? $"{parent} {command.Name}" : command.Name;

    /// <summary>Full is the path with the program's name.</summary>
    public static string Full(string program, Command command) => Of(command) is { Length: > 0 } path ? $"{program} {path}" : program;
}
