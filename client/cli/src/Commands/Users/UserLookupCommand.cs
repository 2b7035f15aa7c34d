using System.CommandLine;
using Optiks.Client;

namespace Optiks.Cli.Commands.Users;

/// <summary>Prints users with their devices, or that a user has left or does not exist.</summary>
internal static class UserLookupCommand
{
    public static Command Create(GlobalOptions options, CommandHost host)
    {
        var names = new KeyArguments(ArgumentArity.OneOrMore, "username to look up; several are asked for together", "NAME");
        var device = new Option<string?>("--device")
        {
            Description = "show this device alone, or that the user does not have it",
            HelpName = "ID",
        };
        var command = new Command("lookup", "Look up users with their devices and verify them, or that there are none") { device };
        names.AddTo(command);
        command.SetAction(async (parse, cancellationToken) =>
        {
            IReadOnlyList<ReadOnlyMemory<byte>> usernames = names.Read(parse);
            ReadOnlyMemory<byte>? one = parse.GetValue(device) is { } text ? names.Decode(parse, text) : default(ReadOnlyMemory<byte>?);
            using Session session =
                await Session.OpenAsync(options, parse, host, needsCredential: false, cancellationToken).ConfigureAwait(false);
            session.RequireUsernames(usernames);
            if (one is { } asked)
            {
                session.RequireKeys([asked]);
            }
            int code = ExitCodes.Success;
            foreach (UserLookupResult result in await session.Client.LookupUsersAsync(
                [.. usernames.Select(username => (username, one))], cancellationToken).ConfigureAwait(false))
            {
                code = Math.Max(code, UserReport.Print(host, options.Json(parse), result));
            }
            return code;
        });
        return command;
    }
}
