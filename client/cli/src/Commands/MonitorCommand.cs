using System.CommandLine;
using Optiks.Client;
using Optiks.Protocol;

namespace Optiks.Cli.Commands;

/// <summary>Monitors the user's own keys: remembers the keys, and reports changes that were not made with this state folder.</summary>
internal static class MonitorCommand
{
    /// <summary>The reason that the command prints for an alarm (docs/spec/reasons.md section 2).</summary>
    public const string UnexpectedVersion = "unexpected_version";

    public static Command Create(GlobalOptions options, CommandHost host)
    {
        var keys = new KeyArguments(ArgumentArity.ZeroOrMore, "key of your own; none: every key that was updated or monitored here");
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
                "the versions reported by earlier calls are yours: show each with its value and end its alarm; what this call finds stays one"
            };
        var command = new Command("monitor",
            "Verify every new version of your own keys, and report those that were not set here (API key or token with scope history)")
        {
            follow, interval, accept,
        };
        keys.AddTo(command);
        command.SetAction((parse, cancellationToken) =>
        {
            IReadOnlyList<ReadOnlyMemory<byte>> given = keys.Read(parse);
            bool accepts = parse.GetValue(accept);
            return FollowAsync(
                host, parse.GetValue(follow), parse.GetValue(interval),
                first => OnceAsync(options, given, accepts && first, changesOnly: !first, host, parse, cancellationToken),
                cancellationToken);
        });
        return command;
    }

    /// <summary>
    /// Monitors once, or repeatedly if the user gave <c>--follow</c>. Returns the worst exit code of all rounds of monitoring.
    /// </summary>
    /// <param name="host">Environment of the run, which receives the warnings.</param>
    /// <param name="follow">Whether to monitor repeatedly, until the user interrupts the command or the log forks.</param>
    /// <param name="interval">Seconds between two rounds of monitoring.</param>
    /// <param name="look">The function that monitors once. Its argument is true for the first round.</param>
    /// <param name="cancellationToken">Interrupts the command.</param>
    public static async Task<int> FollowAsync(
        CommandHost host, bool follow, int interval, Func<bool, Task<int>> look, CancellationToken cancellationToken)
    {
        int code = await look(true).ConfigureAwait(false);
        while (follow && code != ExitCodes.Fork)
        {
            try
            {
                await Task.Delay(TimeSpan.FromSeconds(Math.Max(1, interval)), host.Time, cancellationToken).ConfigureAwait(false);
                // Between two rounds of monitoring the command does not lock the state folder, so that the user can make updates in the
                // meantime.
                code = Math.Max(code, await look(false).ConfigureAwait(false));
            }
            catch (OperationCanceledException)
            {
                break;
            }
            catch (OptiksServerException e)
            {
                host.Error.WriteLine($"warning: {e.Message} Trying again.");
            }
        }
        return code;
    }

    private static async Task<int> OnceAsync(
        GlobalOptions options, IReadOnlyList<ReadOnlyMemory<byte>> given, bool accept, bool changesOnly, CommandHost host,
        ParseResult parse, CancellationToken cancellationToken)
    {
        using Session session =
            await Session.OpenAsync(options, parse, host, needsCredential: true, cancellationToken).ConfigureAwait(false);
        IReadOnlyList<ReadOnlyMemory<byte>> keys = given.Count > 0 ? given : session.Client.OwnedKeys;
        if (keys.Count == 0)
        {
            throw new UsageException("No key was updated or monitored here yet: name one, as in optiks monitor alice.");
        }
        int code = ExitCodes.Success;
        foreach (ReadOnlyMemory<byte> key in keys)
        {
            // Review the alarms before monitoring, because monitoring may raise new alarms. The user can accept only alarms that earlier
            // calls reported.
            AlarmReview? review = accept ? await session.Client.ReviewAlarmsAsync(key, cancellationToken).ConfigureAwait(false) : null;
            if (review is { IsValid: false })
            {
                code = Math.Max(
                    code, Report.Refused(host, options.Json(parse), DisplayText.Show(key.Span), review, writer => Report.Key(writer, key)));
                continue;
            }
            IReadOnlyList<Missed> told = session.Client.NoGuarantee(key);
            MonitorResult result = await session.Client.MonitorAsync(key, cancellationToken).ConfigureAwait(false);
            if (changesOnly && result.IsValid && result.NewVersions.Count == 0 && result.HandedOver.Count == 0)
            {
                // There is nothing new since the last round of monitoring, so do not print the result again. If an earlier round printed an
                // alarm, the command still ends with that alarm's exit code.
                continue;
            }
            IReadOnlyList<ReviewedAlarm> accepted = result.IsValid && review is not null ? review.Alarms : [];
            if (review is not null)
            {
                // Option `--accept` also accepts the epochs without guarantee that earlier calls reported.
                session.Client.AcceptNoGuarantee(key, told);
                result = result with { NoGuarantee = session.Client.NoGuarantee(key) };
            }
            result = result with { Alarms = [.. result.Alarms.Except(accepted.Select(reviewed => reviewed.Alarm))] };
            code = Math.Max(code, Print(host, options.Json(parse), result, accepted, session.Client.NoteOf));
            // Acknowledge the alarms only after they have been printed.
            session.Client.AcknowledgeAlarms(key, [.. accepted.Select(reviewed => reviewed.Alarm)]);
        }
        return code;
    }

    /// <summary>Describes the changes that an owner made and that the log has not shown yet.</summary>
    public static string Pending(int pending, int overtaken) =>
        (pending == 0 ? "" : $", {pending} of your updates not published yet")
            + (overtaken == 0 ? "" : $", {overtaken} overtaken by a later one and never seen");

    private static string Subject(Alarm alarm) => PeriodReport.Sentence(alarm.Handover, alarm.Period) is { } handover
        ? $"the key {handover}"
        : $"version {alarm.Version}, published in epoch {alarm.Epoch}{VersionList.Period(alarm.Period)}";

    private static int Print(CommandHost host, bool json, MonitorResult result, IReadOnlyList<ReviewedAlarm> accepted, NoteFinder notes)
    {
        string key = DisplayText.Show(result.Key.Span);
        if (!result.IsValid)
        {
            return Report.Refused(host, json, key, result, writer => Report.Key(writer, result.Key));
        }
        bool isMissed = result.NoGuarantee.Any(missed => !missed.IsAccepted);
        bool alarm = result.Alarms.Count > 0 || isMissed;
        if (json)
        {
            Report.Json(host, alarm ? "invalid" : "valid",
                PeriodReport.Reason(result.Alarms.Count > 0 ? UnexpectedVersion : null, result.NoGuarantee), result.Head!.Epoch, writer =>
            {
                Report.Key(writer, result.Key);
                writer.WriteNumber("version"u8, result.Version);
                writer.WriteNumber("pending"u8, result.Pending);
                writer.WriteNumber("overtaken"u8, result.Overtaken);
                Report.Head(writer, result.Head);
                VersionList.Write(writer, "new_versions", result.Key, result.NewVersions, notes);
                writer.WriteStartArray("alarms"u8);
                foreach (Alarm version in result.Alarms)
                {
                    writer.WriteStartObject();
                    writer.WriteNumber("period"u8, version.Period);
                    writer.WriteNumber("version"u8, version.Version);
                    writer.WriteNumber("epoch"u8, version.Epoch);
                    writer.WriteString("value_sha256"u8, version.ValueSha256);
                    if (version.Handover is { } handover)
                    {
                        writer.WriteString("handover"u8, handover.Name());
                    }
                    writer.WriteEndObject();
                }
                writer.WriteEndArray();
                PeriodReport.Write(writer, result.HandedOver, result.NoGuarantee);
                VersionList.Write(writer, "accepted", result.Key,
                    accepted.Select(reviewed => reviewed.Version
                        ?? new KeyVersion(reviewed.Alarm.Version, reviewed.Alarm.Epoch, null) { Period = reviewed.Alarm.Period }), notes);
            });
            return alarm ? ExitCodes.Invalid : ExitCodes.Success;
        }
        string pending = Pending(result.Pending, result.Overtaken);
        host.Out.WriteLine(
            $"{key}: {result.NewVersions.Count} new of {result.Version} versions, none after it up to epoch {result.Head!.Epoch}, {Report.Standing(result.Head!)}{pending}");
        VersionList.Show(host.Out, result.Key, result.NewVersions, notes);
        foreach (ReviewedAlarm reviewed in accepted)
        {
            host.Out.WriteLine(
                $"  accepted: {Subject(reviewed.Alarm)}{Values.Note(reviewed.Version?.Value)}: {(reviewed.Version is { } version ? Values.Show(version) : "(shown no more)")}");
        }
        foreach (Alarm version in result.Alarms)
        {
            host.Out.WriteLine(
                $"  ALARM: {Subject(version)}{(version.Handover is null ? ", was not set here" : "")} (SHA-256 {version.ValueSha256 ?? (version.Version == 0 ? "none" : "unknown: not shown")})");
        }
        PeriodReport.Show(host.Out, result.HandedOver, result.NoGuarantee);
        if (isMissed)
        {
            host.Error.WriteLine(
                $"Monitor in time: a period that ended is served until the log has gone on for long enough. That you know of these epochs: optiks monitor {key} --accept.");
        }
        if (result.Alarms.Count > 0)
        {
            host.Error.WriteLine(
                $"If you set these versions on another device: optiks monitor {key} --accept. If not, someone published a key in your name: tell the operator and your contacts.");
        }
        return alarm ? ExitCodes.Invalid : ExitCodes.Success;
    }
}
