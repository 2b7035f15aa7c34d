using System.CommandLine;
using System.Diagnostics.CodeAnalysis;

namespace Optiks.Commands;

/// <summary>
/// Marks a command that runs until it is told to stop, because it is a service or sends load to a service. The command itself handles
/// SIGTERM and SIGINT, and has no time limit to end. Other commands have two seconds to end.
/// </summary>
[SuppressMessage("Design", "CA1010", Justification = "Command is a list for the sake of its initializers.")]
public sealed class ServiceCommand : Command
{
    public ServiceCommand(string name, string description)
        : base(name, description)
    {
    }
}
