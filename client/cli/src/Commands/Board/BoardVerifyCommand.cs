using System.CommandLine;
using System.Globalization;
using Optiks.Client;
using Optiks.Protocol;
using Spectre.Console;

namespace Optiks.Cli.Commands.Board;

/// <summary>Reads and checks a whole board.</summary>
internal static class BoardVerifyCommand
{
    public static Command Create(GlobalOptions options, CommandHost host)
    {
        var command = new Command(
            "verify",
            "Read every tile and entry of the board: that they make up the signed tree, and that each record follows the one before. Proofs of trees: optiks audit");
        var arguments = new BoardArguments(options);
        arguments.AddTo(command);
        command.SetAction(async (parse, cancellationToken) =>
        {
            (OptiksBoard board, _, string name) = await arguments.OpenAsync(parse, host, cancellationToken).ConfigureAwait(false);
            bool json = options.Json(parse);
            (VerifiedNote? note, int code) =
                await BoardArguments.CheckpointAsync(board, name, host, json, cancellationToken).ConfigureAwait(false);
            return note is null ? code
                : await BoardArguments.RunAsync(
                    host, json, name,
                    async () => Print(host, json, name, note, await RunAsync(board, note, host, cancellationToken).ConfigureAwait(false)))
                    .ConfigureAwait(false);
        });
        return command;
    }

    private static Task<BoardAccount> RunAsync(
        OptiksBoard board, VerifiedNote note, CommandHost host, CancellationToken cancellationToken) =>
        CountProgress.RunAsync(host, "entries",
            task => board.AccountAsync(note, task is null ? null : new Entries(task.MaxValue(note.Size)), cancellationToken));

    private static int Print(CommandHost host, bool json, string name, VerifiedNote note, BoardAccount account)
    {
        bool isValid = account.Reason == Reason.Valid;
        if (json)
        {
            Report.Json(host, isValid ? "valid" : "invalid", account.Reason.Name(), account.Epoch, writer =>
            {
                writer.WriteNumber("checkpoint_size"u8, note.Size);
                writer.WriteNumber("periods"u8, account.Periods);
                writer.WriteNumber("time_ms"u8, account.Time.ToUnixTimeMilliseconds());
            });
        }
        else if (isValid)
        {
            host.Out.WriteLine(string.Create(
                CultureInfo.InvariantCulture,
                $"{name}: valid, epochs 0 to {account.Epoch}, {account.Periods} {(account.Periods == 1 ? "period" : "periods")}, the last one of {account.Time:u}"));
            host.Out.WriteLine("  checked  every tile and entry hashes to the signed root, and every record follows the one before");
            host.Out.WriteLine("  not      that the trees of the records only grew: optiks audit");
        }
        else
        {
            host.Out.WriteLine(
                string.Create(CultureInfo.InvariantCulture, $"{name}: invalid, {account.Reason.Name()} at epoch {account.Epoch}"));
            host.Error.WriteLine("The log's own signature shows it: optiks audit writes the evidence, to be published.");
        }
        return isValid ? ExitCodes.Success : ExitCodes.Invalid;
    }

    private sealed class Entries(ProgressTask task) : IProgress<ulong>
    {
        public void Report(ulong value) => task.Value = value;
    }
}
