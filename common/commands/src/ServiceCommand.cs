using System.CommandLine;
using System.Diagnostics.CodeAnalysis;

namespace Optiks.Commands;

/// <summary>
/// ServiceCommand serves, or loads a service, until it is told to stop, and ends in order by itself: SIGTERM and SIGINT are its host's, and nothing ends the process while that is under way. Other commands have two seconds.
/// </summary>
[SuppressMessage("Design", "CA1010", Justification = "Command is a list for the sake of its initializers.")]
public sealed class ServiceCommand : Command
{
    public ServiceCommand(string name, string description)
        : base(name, description)
    {
    }
}
