using System.CommandLine;
using Optiks.Client;
using Optiks.Commands;

namespace Optiks.Cli.Commands;

/// <summary>Prints what this client keeps of the log, for people who look for the cause of a verdict.</summary>
internal static class StateCommand
{
    public static Command Create(GlobalOptions options, CommandHost host)
    {
        var command = new Command(
            "state",
            "Check this client's stored state and print it in words, one line for each fact and without values and notes. This command asks no server; its lines are for people, and may change");
        command.SetAction(async (parse, cancellationToken) =>
        {
            using Session session =
                await Session.OpenAsync(options, parse, host, needsCredential: false, cancellationToken).ConfigureAwait(false);
            IEnumerable<string> lines = StateDump.Describe(session.State);
            if (options.Json(parse))
            {
                host.Out.WriteLine(JsonLine.Write(writer =>
                {
                    writer.WriteStartArray("state"u8);
                    foreach (string line in lines)
                    {
                        writer.WriteStringValue(line);
                    }
                    writer.WriteEndArray();
                }));
                return ExitCodes.Success;
            }
            foreach (string line in lines)
            {
                host.Out.WriteLine(line);
            }
            return ExitCodes.Success;
        });
        return command;
    }
}
