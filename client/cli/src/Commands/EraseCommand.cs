using System.CommandLine;

namespace Optiks.Cli.Commands;

/// <summary>Erases superseded values of a key, and prints the receipt of the erasure.</summary>
internal static class EraseCommand
{
    public static Command Create(GlobalOptions options, CommandHost host)
    {
        var arguments = new ErasureArguments("KEY", "key whose old values are erased");
        var command = new Command("erase",
            "Erase superseded values of a key for good: nobody can show or check them afterwards (API key or token with scope erase)");
        arguments.AddTo(command);
        command.SetAction(async (parse, cancellationToken) =>
        {
            ReadOnlyMemory<byte> key = arguments.Name(parse);
            (ulong from, ulong to) = arguments.Versions(parse)
                ?? throw new UsageException("Give --from and --to: the latest value of a key is never erased.");
            using Session session =
                await Session.OpenAsync(options, parse, host, needsCredential: true, cancellationToken).ConfigureAwait(false);
            session.RequireKeys([key]);
            return await arguments.RunAsync(
                options, parse, host, session,
                (client, id) => client.EraseAsync(key, from, to, requestId: id, cancellationToken: cancellationToken), cancellationToken)
                .ConfigureAwait(false);
        });
        return command;
    }
}
