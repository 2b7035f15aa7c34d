using System.CommandLine;
using System.Text.Json;
using Optiks.Client;
using Optiks.Protocol;

namespace Optiks.Cli.Commands.Users;

/// <summary>
/// Monitors the users that this client owns. It checks every version of the device list and of each device's key, and reports changes that
/// were not made with this state folder.
/// </summary>
internal static class UserMonitorCommand
{
    public static Command Create(GlobalOptions options, CommandHost host)
    {
        var names = new KeyArguments(
            ArgumentArity.ZeroOrMore, "a username of a user of your own; none: every user that was changed or monitored here", "NAME");
        var follow = new Option<bool>("--follow") { Description = "go on until interrupted" };
        var interval = new Option<int>("--interval")
        {
            Description = "seconds between two looks with --follow",
            HelpName = "SECONDS",
            DefaultValueFactory = _ => 60,
        };
        var accept =
            new Option<bool>("--accept")
            {
                Description =
                "what earlier calls reported is yours: show it and end its alarms; what this call finds stays one"
            };
        var command = new Command(
            "monitor",
            "Verify every new version of your own user's device list and of its devices, and report those that were not set here (API key, or the user's token, with scope history)")
        {
            follow, interval, accept,
        };
        names.AddTo(command);
        command.SetAction((parse, cancellationToken) =>
        {
            IReadOnlyList<ReadOnlyMemory<byte>> given = names.Read(parse);
            bool accepts = parse.GetValue(accept);
            return MonitorCommand.FollowAsync(
                host, parse.GetValue(follow), parse.GetValue(interval),
                first => OnceAsync(options, given, accepts && first, changesOnly: !first, host, parse, cancellationToken),
                cancellationToken);
        });
        return command;
    }

    private static async Task<int> OnceAsync(
        GlobalOptions options, IReadOnlyList<ReadOnlyMemory<byte>> given, bool accept, bool changesOnly, CommandHost host,
        ParseResult parse, CancellationToken cancellationToken)
    {
        using Session session =
            await Session.OpenAsync(options, parse, host, needsCredential: true, cancellationToken).ConfigureAwait(false);
        session.RequireUsernames(given);
        IReadOnlyList<ReadOnlyMemory<byte>> names = given.Count > 0 ? given : session.Client.OwnedUsers;
        if (names.Count == 0)
        {
            throw new UsageException("No user was changed or monitored here yet: name one, as in optiks user monitor alice.");
        }
        int code = ExitCodes.Success;
        foreach (ReadOnlyMemory<byte> name in names)
        {
            try
            {
                code = Math.Max(code,
                    await OneAsync(session, name, accept, changesOnly, host, options.Json(parse), cancellationToken).ConfigureAwait(false));
            }
            catch (OptiksServerException e)
                when (session.Client.UserAlarms(name) is { Count: > 0 } alarms && e.Failure != ServerFailure.Insecure)
            {
                // Print the alarms that are known already, even when no server gives an answer.
                code = Math.Max(code, PrintHeld(host, options.Json(parse), name, alarms, e));
            }
        }
        return code;
    }

    private static async Task<int> OneAsync(Session session, ReadOnlyMemory<byte> name, bool accept, bool changesOnly, CommandHost host,
        bool json, CancellationToken cancellationToken)
    {
        // Review the alarms before monitoring, because monitoring may raise new alarms. The user can accept only alarms that earlier calls
        // reported.
        UserAlarmReview? review = accept ? await session.Client.ReviewUserAlarmsAsync(name, cancellationToken).ConfigureAwait(false) : null;
        if (review is { IsValid: false })
        {
            return Report.Refused(host, json, DisplayText.Show(name.Span), review, writer => UserReport.Username(writer, name));
        }
        IReadOnlyList<ReviewedUserAlarm> accepted = review?.Alarms ?? [];
        IReadOnlyList<Missed> told = session.Client.NoGuaranteeOfUser(name);
        UserMonitorResult result =
            await PageProgress.RunAsync(host, pages => session.Client.MonitorUserAsync(name, pages, cancellationToken))
                .ConfigureAwait(false);
        if (!result.IsValid)
        {
            // If the monitoring result is refused, the command does not print the reviewed alarms, so it must not accept them.
            accepted = [];
        }
        if (review is not null && result.IsValid)
        {
            // Option `--accept` also accepts the epochs without guarantee that earlier calls reported.
            session.Client.AcceptNoGuaranteeOfUser(name, told);
            result = result with { NoGuarantee = session.Client.NoGuaranteeOfUser(name) };
        }
        result = result with { Alarms = [.. result.Alarms.Except(accepted.Select(reviewed => reviewed.Alarm))] };
        // There is nothing new since the last round of monitoring, so do not print the result again. If an earlier round printed an alarm,
        // the command still ends with that alarm's exit code.
        int code = changesOnly && !result.HasNews ? ExitCodes.Success : Print(host, json, result, accepted, session.Client.NoteOf);
        // Acknowledge the alarms only after they have been printed.
        session.Client.AcknowledgeUserAlarms(name, [.. accepted.Select(reviewed => reviewed.Alarm)]);
        return code;
    }

    private static int Print(
        CommandHost host, bool json, UserMonitorResult result, IReadOnlyList<ReviewedUserAlarm> accepted, NoteFinder notes)
    {
        string name = DisplayText.Show(result.Username.Span);
        if (!result.IsValid)
        {
            if (!json)
            {
                UserAlarmReport.Show(host.Out, result.Alarms);
            }
            return Report.Refused(host, json, name, result, writer =>
            {
                UserReport.Username(writer, result.Username);
                Write(writer, result.Alarms);
            });
        }
        bool isMissed = result.NoGuarantee.Any(missed => !missed.IsAccepted);
        bool alarm = result.Alarms.Count > 0 || isMissed;
        if (json)
        {
            string reason = PeriodReport.Reason(result.Alarms.Count > 0 ? UserAlarmReport.Reason(result.Alarms) : null, result.NoGuarantee);
            Report.Json(host, alarm ? "invalid" : Report.Name(result.Verdict), reason, result.Head!.Epoch, writer =>
            {
                UserReport.Username(writer, result.Username);
                if (result.User is { } user)
                {
                    writer.WriteString("user_b64"u8, Base64UrlText.Encode(user.Span));
                    writer.WriteBoolean("decommissioned"u8, result.HasLeft);
                    writer.WriteNumber("list_version"u8, result.ListVersion);
                    UserVersionList.Ids(writer, "devices", result.Devices);
                }
                writer.WriteNumber("pending"u8, result.Pending);
                writer.WriteNumber("overtaken"u8, result.Overtaken);
                Report.Head(writer, result.Head);
                UserVersionList.Write(writer, "new_lists", result.NewLists);
                UserVersionList.Write(writer, "new_versions", result.NewVersions.Where(device => device.Versions.Count > 0), notes);
                Write(writer, result.Alarms);
                PeriodReport.Write(writer, result.HandedOver, result.NoGuarantee);
                UserAlarmReport.Write(writer, "accepted", accepted);
            });
            return alarm ? ExitCodes.Invalid : ExitCodes.Success;
        }
        string pending = MonitorCommand.Pending(result.Pending, result.Overtaken);
        host.Out.WriteLine(result switch
        {
            { User: null } => $"{name}: absent, epoch {result.Head!.Epoch}, {Report.Standing(result.Head!)}",
            { HasLeft: true } => $"{name}: has left for good, epoch {result.Head!.Epoch}, {Report.Standing(result.Head!)}{pending}",
            _ =>
                $"{name}: {result.NewLists.Count} new of {result.ListVersion} device lists, {result.NewVersions.Sum(device => device.Versions.Count)} new values, none after them up to epoch {result.Head!.Epoch}, {Report.Standing(result.Head!)}{pending}",
        });
        UserVersionList.Show(host.Out, result.NewLists, result.NewVersions, notes);
        UserAlarmReport.ShowAccepted(host.Out, accepted);
        UserAlarmReport.Show(host.Out, result.Alarms);
        PeriodReport.Show(host.Out, result.HandedOver, result.NoGuarantee);
        if (alarm)
        {
            host.Error.WriteLine(Advice(name));
        }
        return alarm ? ExitCodes.Invalid : ExitCodes.Success;
    }

    private static int PrintHeld(
        CommandHost host, bool json, ReadOnlyMemory<byte> name, IReadOnlyList<UserAlarm> alarms, OptiksServerException failure)
    {
        string shown = DisplayText.Show(name.Span);
        if (json)
        {
            Report.Json(host, "invalid", UserAlarmReport.Reason(alarms), null, writer =>
            {
                UserReport.Username(writer, name);
                writer.WriteString("failure"u8, Report.Name(failure));
                Write(writer, alarms);
            });
        }
        else
        {
            host.Out.WriteLine($"{shown}: not monitored now, but there are alarms");
            UserAlarmReport.Show(host.Out, alarms);
        }
        host.Error.WriteLine($"{shown}: {failure.Message}");
        host.Error.WriteLine(Advice(shown));
        return ExitCodes.Invalid;
    }

    private static void Write(Utf8JsonWriter writer, IReadOnlyList<UserAlarm> alarms) =>
        UserAlarmReport.Write(writer, "alarms", alarms.Select(alarm => new ReviewedUserAlarm(alarm, null)));

    private static string Advice(string name) =>
        $"If you did this on another device: optiks user monitor {name} --accept. If not, someone published in your name: tell the operator and your contacts.";
}
