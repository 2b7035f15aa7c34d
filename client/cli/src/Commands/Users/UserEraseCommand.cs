using System.CommandLine;

namespace Optiks.Cli.Commands.Users;

/// <summary>
/// Erases superseded device lists of a user, or everything of a user who has left, and prints the receipt of the erasure.
/// </summary>
internal static class UserEraseCommand
{
    public static Command Create(GlobalOptions options, CommandHost host)
    {
        var arguments = new ErasureArguments("NAME", "a username of the user");
        var command = new Command(
            "erase",
            "Erase superseded device lists of a user for good; without versions all lists and devices of a user who has left (API key, or the user's token, with scope erase)");
        arguments.AddTo(command);
        command.SetAction(async (parse, cancellationToken) =>
        {
            ReadOnlyMemory<byte> name = arguments.Name(parse);
            (ulong From, ulong To)? versions = arguments.Versions(parse);
            using Session session =
                await Session.OpenAsync(options, parse, host, needsCredential: true, cancellationToken).ConfigureAwait(false);
            session.RequireUsernames([name]);
            return await arguments.RunAsync(
                options, parse, host, session,
                (client, id) => client.EraseUserAsync(name, versions, requestId: id, cancellationToken: cancellationToken),
                cancellationToken).ConfigureAwait(false);
        });
        return command;
    }
}
