using System.CommandLine;
using Optiks.Client;
using Optiks.Protocol;

namespace Optiks.Cli.Commands.Users;

/// <summary>Prints every version of a user's device list and of the keys of its devices.</summary>
internal static class UserHistoryCommand
{
    public static Command Create(GlobalOptions options, CommandHost host)
    {
        var names = new KeyArguments(ArgumentArity.OneOrMore, "a username of the user", "NAME");
        var command = new Command(
            "history",
            "List every version of a user's device list and of each device that was ever on it, as one signed epoch holds them, and verify that none is missing there (API key, or the user's token, with scope history)");
        var period = new PeriodArgument();
        period.AddTo(command);
        names.AddTo(command);
        command.SetAction(async (parse, cancellationToken) =>
        {
            IReadOnlyList<ReadOnlyMemory<byte>> usernames = names.Read(parse);
            using Session session =
                await Session.OpenAsync(options, parse, host, needsCredential: true, cancellationToken).ConfigureAwait(false);
            session.RequireUsernames(usernames);
            int code = ExitCodes.Success;
            foreach (ReadOnlyMemory<byte> username in usernames)
            {
                UserHistoryResult result = await PageProgress.RunAsync(host, pages => period.ReadAsync(
                    parse, () => session.Client.UserHistoryAsync(username, pages, cancellationToken),
                    number => session.Client.UserHistoryAsync(username, number, pages, cancellationToken))).ConfigureAwait(false);
                code = Math.Max(code, Print(host, options.Json(parse), result, session.Client.NoteOf));
            }
            return code;
        });
        return command;
    }

    private static int Print(CommandHost host, bool json, UserHistoryResult result, NoteFinder notes)
    {
        string name = DisplayText.Show(result.Username.Span);
        if (!result.IsValid)
        {
            return Report.Refused(host, json, name, result, writer => UserReport.Username(writer, result.Username));
        }
        HeadInfo head = result.Head!;
        if (json)
        {
            Report.Json(host, Report.Name(result.Verdict), Reason.Valid.Name(), head.Epoch, writer =>
            {
                UserReport.Username(writer, result.Username);
                if (result.User is { } user)
                {
                    writer.WriteString("user_b64"u8, Base64UrlText.Encode(user.Span));
                    writer.WriteBoolean("decommissioned"u8, result.HasLeft);
                }
                writer.WriteNumber("list_version"u8, result.Lists.Count);
                Report.Head(writer, head);
                UserVersionList.Write(writer, "lists", result.Lists);
                UserVersionList.Write(writer, "devices", result.Devices, notes);
            });
            return ExitCodes.Success;
        }
        host.Out.WriteLine(result switch
        {
            { User: null } => $"{name}: absent, epoch {head.Epoch}, {Report.Standing(head)}",
            { HasLeft: true } => $"{name}: has left for good, and nothing more is shown, epoch {head.Epoch}, {Report.Standing(head)}",
            _ =>
                $"{name}: {result.Lists.Count} device list{(result.Lists.Count == 1 ? "" : "s")}, complete up to epoch {head.Epoch}{VersionList.Period(head.Period)}, {Report.Standing(head)}",
        });
        UserVersionList.Show(host.Out, result.Lists, result.Devices, notes);
        return ExitCodes.Success;
    }
}
