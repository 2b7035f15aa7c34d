using System.CommandLine;
using System.Diagnostics.CodeAnalysis;

namespace Optiks.Commands;

/// <summary>
/// Marks a command that serves, or loads a service, until it is told to stop. Its host handles SIGTERM and SIGINT and ends in order,
/// without a time limit. Other commands have two seconds to end.
/// </summary>
[SuppressMessage("Design", "CA1010", Justification = "Command is a list for the sake of its initializers.")]
public sealed class ServiceCommand : Command
{
    public ServiceCommand(string name, string description)
        : base(name, description)
    {
    }
}
