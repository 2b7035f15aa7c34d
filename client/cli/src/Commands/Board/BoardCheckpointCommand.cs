using System.CommandLine;
using System.Globalization;
using Optiks.Client;
using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.Cli.Commands.Board;

/// <summary>Shows the newest signed checkpoint, and can save it.</summary>
internal static class BoardCheckpointCommand
{
    public static Command Create(GlobalOptions options, CommandHost host)
    {
        var output = new Option<string?>("--out",
            "-o")
        { Description = "also store the signed note, to compare a later one with", HelpName = "FILE" };
        var command = new Command("checkpoint", "Show the newest checkpoint that the log signed, and who cosigned it") { output };
        var arguments = new BoardArguments(options);
        arguments.AddTo(command);
        command.SetAction(async (parse, cancellationToken) =>
        {
            (OptiksBoard board, _, string name) = await arguments.OpenAsync(parse, host, cancellationToken).ConfigureAwait(false);
            bool json = options.Json(parse);
            (VerifiedNote? note, int code) =
                await BoardArguments.CheckpointAsync(board, name, host, json, cancellationToken).ConfigureAwait(false);
            if (note is null)
            {
                return code;
            }
            if (parse.GetValue(output) is { } file)
            {
                OutputFile.Write(file, note.Octets, AtomicFile.PublicMode);
            }
            Print(host, json, name, note);
            return ExitCodes.Success;
        });
        return command;
    }

    private static void Print(CommandHost host, bool json, string name, VerifiedNote note)
    {
        string root = Convert.ToBase64String(note.Root);
        // The cosigners' names in the checkpoint are unverified. A cosigner's signature counts only if a policy has the cosigner's key.
        string[] others = SignedNote.TryParse(note.Octets, out SignedNote? signed, out _)
            ? [.. signed.Signatures.Skip(1).Select(line => line.Name)]
            : [];
        if (json)
        {
            Report.Json(host, "valid", Reason.Valid.Name(), note.Size - 1, writer =>
            {
                writer.WriteNumber("checkpoint_size"u8, note.Size);
                writer.WriteString("root"u8, root);
                writer.WriteString("checkpoint"u8, note.Octets);
                writer.WriteStartArray("other_signatures"u8);
                Array.ForEach(others, writer.WriteStringValue);
                writer.WriteEndArray();
            });
            return;
        }
        host.Out.WriteLine(
            $"{name}: valid, {note.Size.ToString(CultureInfo.InvariantCulture)} entries, epoch {(note.Size - 1).ToString(CultureInfo.InvariantCulture)}");
        host.Out.WriteLine($"  root     {root}");
        foreach (string other in others)
        {
            host.Out.WriteLine($"  also by  {DisplayText.Escape(other)} (not verified)");
        }
    }
}
