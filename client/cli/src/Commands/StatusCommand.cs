using System.CommandLine;
using Optiks.Client;
using Optiks.Protocol;

namespace Optiks.Cli.Commands;

/// <summary>Prints the outcome of an update as the server states it, and says that nothing is proven.</summary>
internal static class StatusCommand
{
    public static Command Create(GlobalOptions options, CommandHost host)
    {
        var id = new Argument<Guid>("ID") { Description = "id of the request, as update printed it" };
        var wait = new Option<bool>("--wait", "-w") { Description = "wait until it is published or refused" };
        var timeout = new Option<int>("--timeout")
        {
            Description = "seconds to wait at most",
            HelpName = "SECONDS",
            DefaultValueFactory = _ => 120,
        };
        var command = new Command(
            "status", "Say what became of an update (API key or token with scope update): the server's word, which a lookup proves") { id,
                wait, timeout };
        command.SetAction(async (parse, cancellationToken) =>
        {
            using Session session =
                await Session.OpenAsync(options, parse, host, needsCredential: true, cancellationToken).ConfigureAwait(false);
            bool waits = parse.GetValue(wait);
            RequestOutcome outcome = await session.Client
                .StatusAsync(parse.GetValue(id), waits ? TimeSpan.FromSeconds(parse.GetValue(timeout)) : TimeSpan.Zero, cancellationToken)
                .ConfigureAwait(false);
            return Print(host, options.Json(parse), outcome, waits);
        });
        return command;
    }

    private static int Print(CommandHost host, bool json, RequestOutcome outcome, bool waited)
    {
        if (json)
        {
            Report.Json(host, outcome.Status == UpdateStatus.Refused ? null : "accepted", Name(outcome), outcome.Epoch, writer =>
            {
                writer.WriteString("request_id"u8, outcome.RequestId);
                writer.WriteString("status"u8,
                    outcome.Status switch { UpdateStatus.Published => "published", UpdateStatus.Refused => "refused", _ => "pending" });
                writer.WriteStartArray("items"u8);
                foreach (PublishedKey item in outcome.Items)
                {
                    writer.WriteStartObject();
                    writer.WriteString("structure"u8, Structures.Names[(int)item.Structure - 1]);
                    Report.Key(writer, item.Key);
                    writer.WriteNumber("version"u8, item.Version.Version);
                    writer.WriteNumber("period"u8, item.Version.Period);
                    writer.WriteEndObject();
                }
                writer.WriteEndArray();
                Report.Number(writer, "current_version", outcome.Current?.Version);
            });
        }
        switch (outcome.Status)
        {
            case UpdateStatus.Published when !json:
                host.Out.WriteLine($"{outcome.RequestId}: published in epoch {outcome.Epoch}, says the server");
                foreach (PublishedKey item in outcome.Items)
                {
                    host.Out.WriteLine(
                        $"  {DisplayText.Show(item.Key.Span)}: {(item.Structure.HasVersions() ? $"version {item.Version.Version}" : "published")}{(item.Structure == StructureId.Keys ? "" : $" in {Structures.Names[(int)item.Structure - 1]}")}");
                }
                if (outcome.Kind is { } kind)
                {
                    host.Out.WriteLine(
                        $"  next     optiks {(kind == UpdateKind.User ? "user lookup NAME" : "lookup KEY")} proves what the log shows");
                }
                return ExitCodes.Success;
            case UpdateStatus.Refused:
                string where = outcome.RefusedItem is { } number ? $" (item {number})" : "";
                string current = outcome.Current is { } latest ? $"; the latest version is {latest.Version}" : "";
                host.Error.WriteLine($"{outcome.RequestId}: refused, {outcome.RefusedBecause}{where}{current}. Nothing changed.");
                return ExitCodes.Unreachable;
            case UpdateStatus.Pending when waited:
                host.Error.WriteLine($"{outcome.RequestId}: still pending after --timeout. It is durable at the server: ask again.");
                return ExitCodes.Unreachable;
            case UpdateStatus.Pending when !json:
                host.Out.WriteLine($"{outcome.RequestId}: pending, durable at the server, not published yet");
                return ExitCodes.Success;
            default:
                return ExitCodes.Success;
        }
    }

    private static string Name(RequestOutcome outcome) => outcome.Status switch
    {
        // Do not print "valid", because nothing was verified.
        UpdateStatus.Published => "published",
        UpdateStatus.Refused => ServerWords.Refusal(outcome.RefusedBecause),
        _ => "pending",
    };
}
