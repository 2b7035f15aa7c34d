using System.CommandLine;
using Optiks.Client;
using Optiks.Protocol;

namespace Optiks.Cli.Commands;

/// <summary>Prints every version of a key.</summary>
internal static class HistoryCommand
{
    public static Command Create(GlobalOptions options, CommandHost host)
    {
        var keys = new KeyArguments(ArgumentArity.OneOrMore, "key whose versions are wanted");
        var command = new Command(
            "history",
            "List a key's versions as one signed epoch holds them, and verify that none of the period is missing there (API key or token with scope history); this does not tell what others were shown");
        var period = new PeriodArgument();
        period.AddTo(command);
        keys.AddTo(command);
        command.SetAction((parse, cancellationToken) => RunAsync(options, keys, period, host, parse, cancellationToken));
        return command;
    }

    private static async Task<int> RunAsync(GlobalOptions options, KeyArguments arguments, PeriodArgument period, CommandHost host,
        ParseResult parse, CancellationToken cancellationToken)
    {
        IReadOnlyList<ReadOnlyMemory<byte>> keys = arguments.Read(parse);
        using Session session =
            await Session.OpenAsync(options, parse, host, needsCredential: true, cancellationToken).ConfigureAwait(false);
        session.RequireKeys(keys);
        int code = ExitCodes.Success;
        foreach (ReadOnlyMemory<byte> key in keys)
        {
            HistoryResult result = await period.ReadAsync(
                parse, () => session.Client.HistoryAsync(key, cancellationToken),
                number => session.Client.HistoryAsync(key, number, cancellationToken)).ConfigureAwait(false);
            code = Math.Max(code, Print(host, options.Json(parse), result, session.Client.NoteOf));
        }
        return code;
    }

    private static int Print(CommandHost host, bool json, HistoryResult result, NoteFinder notes)
    {
        string key = DisplayText.Show(result.Key.Span);
        if (!result.IsValid)
        {
            return Report.Refused(host, json, key, result, writer => Report.Key(writer, result.Key));
        }
        HeadInfo head = result.Head!;
        if (json)
        {
            Report.Json(host, result.Versions.Count == 0 ? "absent" : "valid", Reason.Valid.Name(), head.Epoch, writer =>
            {
                Report.Key(writer, result.Key);
                writer.WriteNumber("version"u8, result.Versions.Count);
                Report.Head(writer, head);
                VersionList.Write(writer, "versions", result.Key, result.Versions, notes);
            });
            return ExitCodes.Success;
        }
        if (result.Versions.Count == 0)
        {
            host.Out.WriteLine($"{key}: absent, epoch {head.Epoch}, {Report.Standing(head)}");
            return ExitCodes.Success;
        }
        host.Out.WriteLine(
            $"{key}: {Count(result.Versions.Count, "version")}, complete up to epoch {head.Epoch}{VersionList.Period(head.Period)}, {Report.Standing(head)}");
        VersionList.Show(host.Out, result.Key, result.Versions, notes);
        return ExitCodes.Success;
    }

    private static string Count(int count, string what) => count == 1 ? $"1 {what}" : $"{count} {what}s";
}
