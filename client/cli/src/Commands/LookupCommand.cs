using System.CommandLine;
using Optiks.Client;
using Optiks.Protocol;

namespace Optiks.Cli.Commands;

/// <summary>Prints the latest values of keys, or that a key is proven absent.</summary>
internal static class LookupCommand
{
    public static Command Create(GlobalOptions options, CommandHost host)
    {
        var keys = new KeyArguments(ArgumentArity.OneOrMore, "key to look up; several are asked for together");
        var command = new Command("lookup", "Look up the latest value of keys and verify it, or that there is none");
        keys.AddTo(command);
        command.SetAction((parse, cancellationToken) => RunAsync(options, keys, host, parse, cancellationToken));
        return command;
    }

    /// <summary>Describes the checks that the client made, in the order of docs/spec/answers.md.</summary>
    public static string Statement(HeadInfo head) =>
        $"the log's signature on {head.CheckpointSize} epochs, the record of epoch {head.Epoch} among them ({head.Time:yyyy-MM-dd HH:mm:ss}Z), the proofs in its tree";

    private static async Task<int> RunAsync(
        GlobalOptions options, KeyArguments arguments, CommandHost host, ParseResult parse, CancellationToken cancellationToken)
    {
        IReadOnlyList<ReadOnlyMemory<byte>> keys = arguments.Read(parse);
        using Session session =
            await Session.OpenAsync(options, parse, host, needsCredential: false, cancellationToken).ConfigureAwait(false);
        session.RequireKeys(keys);
        int code = ExitCodes.Success;
        foreach (LookupResult result in await session.Client.LookupAsync(keys, cancellationToken).ConfigureAwait(false))
        {
            code = Math.Max(code, Print(host, options.Json(parse), result));
        }
        return code;
    }

    private static int Print(CommandHost host, bool json, LookupResult result)
    {
        string key = DisplayText.Show(result.Key.Span);
        if (!result.IsValid)
        {
            return Report.Refused(host, json, key, result, writer =>
            {
                Report.Key(writer, result.Key);
                writer.WriteBoolean("at_fault"u8, result.AtFault);
            });
        }
        HeadInfo head = result.Head!;
        if (json)
        {
            Report.Json(host, Report.Name(result.Verdict), Reason.Valid.Name(), head.Epoch, writer =>
            {
                Report.Key(writer, result.Key);
                writer.WriteNumber("version"u8, result.Version);
                writer.WriteBoolean("not_copied"u8, result.NotCopied);
                if (result.Value is { } value)
                {
                    Report.Number(writer, "published_epoch", Report.PublishedEpoch(result.PublishedEpoch));
                    Values.Write(writer, value);
                    writer.WriteBoolean("unchanged"u8, result.Unchanged);
                }
                Report.Head(writer, head);
            });
            return result.NotCopied ? ExitCodes.Invalid : ExitCodes.Success;
        }
        host.Out.WriteLine(result.Verdict == Verdict.Absent
            ? $"{key}: absent, epoch {head.Epoch}, {Report.Standing(head)}"
            : $"{key}: present, version {result.Version}, epoch {head.Epoch}, {Report.Standing(head)}");
        if (result.Value is { } shown)
        {
            host.Out.WriteLine($"  {Values.Name(shown)}  {Values.Show(shown)}");
        }
        host.Out.WriteLine($"  checked  {Statement(head)}{(result.Unchanged ? ", nothing newer than the version known here" : "")}");
        if (result.NotCopied)
        {
            host.Out.WriteLine(
                $"  ALARM: a version was known here before, and period {head.Period} did not begin with it: the user whose device it is had left, or the log dropped it. Look the user up.");
        }
        return result.NotCopied ? ExitCodes.Invalid : ExitCodes.Success;
    }
}
