using System.CommandLine;
using Optiks.Client;
using Optiks.Protocol;

namespace Optiks.Cli.Commands;

/// <summary>HistoryCommand prints every version of a key.</summary>
internal static class HistoryCommand
{
    public static Command Create(GlobalOptions options, CommandHost host)
    {
        var keys = new KeyArguments(ArgumentArity.OneOrMore, "key whose versions are wanted");
        var command = new Command("history", "List a key's versions as one signed epoch holds them, and verify that none of the period is missing there (API key or token with scope history); this does not tell what others were shown");
        var period = new Option<ulong?>("--period") { Description = "of this time period, up to its last epoch if it has ended; without it of the current one", HelpName = "NUMBER" };
        command.Add(period);
        keys.AddTo(command);
        command.SetAction((parse, cancellationToken) => RunAsync(options, keys, parse.GetValue(period), host, parse, cancellationToken));
        return command;
    }

    private static async Task<int> RunAsync(GlobalOptions options, KeyArguments arguments, ulong? period, CommandHost host, ParseResult parse, CancellationToken cancellationToken)
    {
        IReadOnlyList<ReadOnlyMemory<byte>> keys = arguments.Read(parse);
        using Session session = await Session.OpenAsync(options, parse, host, needsCredential: true, cancellationToken).ConfigureAwait(false);
        session.RequireKeys(keys);
        int code = ExitCodes.Success;
        foreach (ReadOnlyMemory<byte> key in keys)
        {
            HistoryResult result = await ReadAsync(session.Client, key, period, cancellationToken).ConfigureAwait(false);
            code = Math.Max(code, Print(host, options.Json(parse), result));
        }
        return code;
    }

    private static async Task<HistoryResult> ReadAsync(OptiksClient client, ReadOnlyMemory<byte> key, ulong? period, CancellationToken cancellationToken)
    {
        try
        {
            return period is { } number
                ? await client.HistoryAsync(key, number, cancellationToken).ConfigureAwait(false)
                : await client.HistoryAsync(key, cancellationToken).ConfigureAwait(false);
        }
        catch (ArgumentOutOfRangeException e) when (period is not null)
        {
            throw new UsageException($"The log has not begun period {period}.", e);
        }
    }

    private static int Print(CommandHost host, bool json, HistoryResult result)
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
                VersionList.Write(writer, "versions", result.Versions);
            });
            return ExitCodes.Success;
        }
        if (result.Versions.Count == 0)
        {
            host.Out.WriteLine($"{key}: absent, epoch {head.Epoch}, valid, not yet audited");
            return ExitCodes.Success;
        }
        host.Out.WriteLine($"{key}: {Count(result.Versions.Count, "version")}, complete up to epoch {head.Epoch}{VersionList.Period(head.Period)}, valid, not yet audited");
        VersionList.Show(host.Out, result.Versions);
        return ExitCodes.Success;
    }

    private static string Count(int count, string what) => count == 1 ? $"1 {what}" : $"{count} {what}s";
}
