using System.CommandLine;
using System.Globalization;
using Optiks.Client;
using Optiks.Protocol;

namespace Optiks.Cli.Commands;

/// <summary>
/// Shows the answers that the client believed and that auditors should have covered by now. Lets a person end the alarm about these
/// answers.
/// </summary>
internal static class OverdueCommand
{
    /// <summary>The reason that is printed for an alarm about overdue answers (docs/spec/reasons.md section 2).</summary>
    public const string OverdueReason = "overdue";

    public static Command Create(GlobalOptions options, CommandHost host)
    {
        var accept = new Option<ulong?>("--accept")
        {
            Description =
                "you know why auditors will not cover what was believed of epochs up to this one, as it was reported: show it and end the alarm about it",
            HelpName = "EPOCH",
        };
        var command = new Command(
            "overdue",
            "List the answers that this client accepted and that too few auditors have covered in time. This command asks no server; the next lookup finds out whether auditors have covered them since")
        {
            accept,
        };
        command.SetAction(async (parse, cancellationToken) =>
        {
            using Session session =
                await Session.OpenAsync(options, parse, host, needsCredential: false, cancellationToken).ConfigureAwait(false);
            IReadOnlyList<Belief> overdue = session.Client.Overdue;
            Belief[] accepted = [.. overdue.Where(belief => belief.Epoch <= parse.GetValue(accept))];
            Belief[] left = [.. overdue.Except(accepted)];
            Print(host, options.Json(parse), left, accepted);
            // Accept the overdue answers only after they have been printed.
            session.Client.AcceptOverdue(accepted);
            return left.Length == 0 ? ExitCodes.Success : ExitCodes.Invalid;
        });
        return command;
    }

    private static void Print(CommandHost host, bool json, Belief[] left, Belief[] accepted)
    {
        if (json)
        {
            Report.Json(host, left.Length == 0 ? "valid" : "invalid", left.Length == 0 ? Reason.Valid.Name() : OverdueReason,
                null, writer =>
            {
                Report.Beliefs(writer, "overdue", left);
                Report.Beliefs(writer, "accepted", accepted);
            });
            return;
        }
        if (left.Length + accepted.Length == 0)
        {
            host.Out.WriteLine("Nothing that was believed here waits longer for auditors than the trust anchor allows.");
        }
        foreach (Belief belief in accepted)
        {
            host.Out.WriteLine($"accepted: {Subject(belief)}");
        }
        foreach (Belief belief in left)
        {
            host.Out.WriteLine(Subject(belief));
        }
    }

    private static string Subject(Belief belief)
    {
        string what = belief.Key is not { } id || !Base64UrlText.TryDecode(id, out byte[]? key) ? "several answers"
            : string.Create(CultureInfo.InvariantCulture,
                $"{DisplayText.Show(key)}, {(belief.Version == 0 ? "no version" : $"version {belief.Version} (SHA-256 {belief.ValueSha256 ?? "unknown"})")}");
        string rests = belief.FromEpoch < belief.Epoch
            ? string.Create(CultureInfo.InvariantCulture, $", resting on what was shown in epoch {belief.FromEpoch}")
            : "";
        return string.Create(CultureInfo.InvariantCulture,
            $"{what}, of epoch {belief.Epoch}{rests}, believed {DateTimeOffset.FromUnixTimeMilliseconds(belief.BelievedAtMs):yyyy-MM-dd HH:mm:ss}Z");
    }
}
