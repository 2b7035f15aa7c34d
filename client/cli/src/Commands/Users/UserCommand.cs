using System.CommandLine;

namespace Optiks.Cli.Commands.Users;

/// <summary>The commands about users, which change usernames and devices, or make a user leave for good.</summary>
internal static class UserCommand
{
    public static Command Create(GlobalOptions options, CommandHost host) =>
        new("user", "Create, look up, monitor and change users: usernames that lead to them, their devices, and leaving for good")
        {
            UserCreateCommand.Create(options, host),
            UserLookupCommand.Create(options, host),
            UserMonitorCommand.Create(options, host),
            UserHistoryCommand.Create(options, host),
            UserChangeCommands.AddUsername(options, host),
            UserChangeCommands.AddDevice(options, host),
            UserChangeCommands.SetDevice(options, host),
            UserChangeCommands.RemoveDevice(options, host),
            UserChangeCommands.Decommission(options, host),
            UserEraseCommand.Create(options, host),
        };
}
