using System.CommandLine;

namespace Optiks.Cli.Commands.Board;

/// <summary>Reads a log's bulletin board at a query-service, at any web server that has its files, or in a folder.</summary>
internal static class BoardCommand
{
    public static Command Create(GlobalOptions options, CommandHost host) =>
        new("board",
            "Look at the log's bulletin board: its signed checkpoint, all of its files, or whether two checkpoints are of one history")
    {
        BoardCheckpointCommand.Create(options, host),
        BoardVerifyCommand.Create(options, host),
        BoardConsistencyCommand.Create(options, host),
    };
}
