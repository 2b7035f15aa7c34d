using System.CommandLine;
using System.Globalization;
using Optiks.Client;
using Optiks.Protocol;

namespace Optiks.Cli.Commands.Board;

/// <summary>Compares two signed checkpoints, such as a checkpoint that the user saved and a checkpoint from somebody else.</summary>
internal static class BoardConsistencyCommand
{
    public static Command Create(GlobalOptions options, CommandHost host)
    {
        var older =
            new Argument<string>("CHECKPOINT")
            {
                Description =
                "a signed checkpoint, such as one of 'optiks board checkpoint --out'; - for standard input"
            };
        var newer =
            new Argument<string?>("OTHER")
            {
                Description =
                "another one; by default the board's newest. The files of the larger one are read from the board",
                Arity = ArgumentArity.ZeroOrOne
            };
        var command = new Command(
            "consistency", "Tell whether two signed checkpoints are of one history; writes evidence if they are not") { older, newer };
        var arguments = new BoardArguments(options);
        arguments.AddTo(command);
        command.SetAction(async (parse, cancellationToken) =>
        {
            (OptiksBoard board, TrustAnchor anchor, string name) =
                await arguments.OpenAsync(parse, host, cancellationToken).ConfigureAwait(false);
            bool json = options.Json(parse);
            string file = parse.GetValue(older)!;
            (VerifiedNote? one, int code) = Read(host, json, anchor, file);
            if (one is null)
            {
                return code;
            }
            string otherName = parse.GetValue(newer) ?? name;
            (VerifiedNote? other, code) = parse.GetValue(newer) is { } given
                ? Read(host, json, anchor, given)
                : await BoardArguments.CheckpointAsync(board, name, host, json, cancellationToken).ConfigureAwait(false);
            if (other is null)
            {
                return code;
            }
            // Order the checkpoints by size, because the user may give them in any order.
            (VerifiedNote first, VerifiedNote last, string source) = one.Size <= other.Size ? (one, other, otherName) : (other, one, file);
            string evidence = Path.Combine(options.Data(parse, host).Client, "evidence");
            return await BoardArguments.RunAsync(host, json, name, async () =>
                Print(host, json, first, last,
                    await board.RelateAsync(first, last, evidence, source, host.Time, cancellationToken).ConfigureAwait(false)))
                    .ConfigureAwait(false);
        });
        return command;
    }

    private static (VerifiedNote? Note, int Code) Read(CommandHost host, bool json, TrustAnchor anchor, string file)
    {
        byte[] octets = InspectCommand.ReadFile(host, file);
        Reason reason = VerifiedNote.Verify(anchor, octets, out VerifiedNote? note);
        return note is null ? (null, BoardArguments.Refused(host, json, file, reason)) : (note, ExitCodes.Success);
    }

    private static int Print(CommandHost host, bool json, VerifiedNote first, VerifiedNote last, BoardRelation relation)
    {
        if (json)
        {
            Report.Json(host, relation.IsConsistent ? "valid" : "invalid", (relation.IsConsistent ? Reason.Valid : Reason.Fork).Name(),
                relation.IsConsistent ? last.Size - 1 : null, writer =>
            {
                writer.WriteNumber("from_size"u8, first.Size);
                writer.WriteNumber("checkpoint_size"u8, last.Size);
                if (relation.EvidencePath is { } path)
                {
                    writer.WriteString("evidence"u8, path);
                }
            });
        }
        else if (relation.IsConsistent)
        {
            host.Out.WriteLine(
                string.Create(CultureInfo.InvariantCulture,
                    $"consistent: the tree of {last.Size} entries begins with that of {first.Size}"));
        }
        else
        {
            host.Out.WriteLine(
                string.Create(CultureInfo.InvariantCulture,
                    $"invalid, fork: the log signed a tree of {first.Size} entries and one of {last.Size} that cannot be of one history"));
            host.Error.WriteLine($"Both are in {relation.EvidencePath}: publish them and ask the operator and the auditors.");
        }
        return relation.IsConsistent ? ExitCodes.Success : ExitCodes.Fork;
    }
}
