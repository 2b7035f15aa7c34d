using System.CommandLine;
using Optiks.Client;
using Optiks.Protocol;
using Spectre.Console;

namespace Optiks.Cli.Commands;

/// <summary>Follows all epochs of a log.</summary>
internal static class AuditCommand
{
    public static Command Create(GlobalOptions options, CommandHost host)
    {
        var from = new Option<ulong>("--from")
        {
            Description = "first epoch of a new auditor; unless 0, its record is taken on trust",
            HelpName = "EPOCH",
            DefaultValueFactory = _ => 0,
        };
        var follow = new Option<bool>("--follow") { Description = "go on until interrupted" };
        var interval = new Option<int>("--interval")
        {
            Description = "seconds between two looks with --follow",
            HelpName = "SECONDS",
            DefaultValueFactory = _ => 5,
        };
        var range = new Option<int>("--range")
        {
            Description = $"epochs in one proof, 1 to {AuditProof.MaxEpochs}",
            HelpName = "N",
            DefaultValueFactory = _ => AuditProof.MaxEpochs,
        };
        var command = new Command(
            "audit", "Verify every epoch of the log: records, append-only proofs of all trees, the board; goes on where it stopped") { from,
                follow, interval, range };
        command.SetAction(async (parse, cancellationToken) =>
        {
            if (parse.GetValue(range) is < 1 or > AuditProof.MaxEpochs)
            {
                throw new UsageException($"--range is 1 to {AuditProof.MaxEpochs}.");
            }
            IReadOnlyList<Uri> urls = options.QueryUrls(parse, host);
            TrustAnchor anchor = await Session.TrustAsync(options, parse, host, urls, cancellationToken).ConfigureAwait(false);
            var auditorOptions = new AuditorOptions
            {
                TrustAnchor = anchor,
                QueryUrls = urls,
                StateFolder = Path.Combine(options.Data(parse, host).Client, "auditor"),
                FirstEpoch = parse.GetValue(from),
                MaxRange = parse.GetValue(range),
            };
            using AuditorSession session =
                await AuditorSession.OpenAsync(auditorOptions, host.Http, host.Time, cancellationToken).ConfigureAwait(false);
            if (session.State is { } state && parse.GetResult(from) is { Implicit: false } && parse.GetValue(from) != state.FirstEpoch)
            {
                throw new UsageException(
                    $"This auditor started at epoch {state.FirstEpoch}. To start at {parse.GetValue(from)}, use another folder (--data), or move {auditorOptions.StateFolder} away.");
            }
            return await FollowAsync(session, host, options.Json(parse), parse.GetValue(follow), parse.GetValue(interval),
                cancellationToken).ConfigureAwait(false);
        });
        return command;
    }

    private static async Task<int> FollowAsync(
        AuditorSession session, CommandHost host, bool json, bool follow, int interval, CancellationToken cancellationToken)
    {
        while (true)
        {
            try
            {
                AuditResult result = await RunAsync(session, host, cancellationToken).ConfigureAwait(false);
                bool quiet = follow && result.IsValid && result.VerifiedEpochs == 0 && !result.IsSilent;
                int code = quiet ? ExitCodes.Success : Print(host, json, result);
                if (!follow || code != ExitCodes.Success)
                {
                    return code;
                }
            }
            catch (OperationCanceledException) when (follow && cancellationToken.IsCancellationRequested)
            {
                // The user interrupted `--follow`, during an audit of the log's new epochs or between two audits.
                return ExitCodes.Success;
            }
            catch (OptiksServerException e) when (follow && e.IsTransient)
            {
                host.Error.WriteLine($"warning: {e.Message} Trying again.");
            }
            try
            {
                await Task.Delay(TimeSpan.FromSeconds(Math.Max(1, interval)), host.Time, cancellationToken).ConfigureAwait(false);
            }
            catch (OperationCanceledException)
            {
                return ExitCodes.Success;
            }
        }
    }

    private static Task<AuditResult> RunAsync(AuditorSession session, CommandHost host, CancellationToken cancellationToken) =>
        CountProgress.RunAsync(host, "epochs", task => session.AuditAsync(task is null ? null : new Steps(task), cancellationToken));

    private static int Print(CommandHost host, bool json, AuditResult result)
    {
        if (!result.IsValid)
        {
            string subject = result.FailedRange is { } range ? $"epochs {range.From} to {range.To}" : "log";
            return Report.Refused(host, json, subject, result, writer =>
            {
                Report.Number(writer, "first_epoch", result.FirstEpoch);
                Report.Number(writer, "verified_to", result.Epoch);
                if (result.FailedRange is { } failed)
                {
                    writer.WriteNumber("failed_from"u8, failed.From);
                    writer.WriteNumber("failed_to"u8, failed.To);
                }
            });
        }
        foreach (AuditRefusal refusal in result.Refusals)
        {
            string what = refusal.Range is { } epochs ? $"a proof of epochs {epochs.From} to {epochs.To}" : "an answer";
            host.Error.WriteLine(
                $"warning: {refusal.Server.Authority} gave {what} that does not verify ({refusal.Reason.Name()}); another server's does.");
        }
        HeadInfo head = result.Head!;
        if (json)
        {
            Report.Json(host, "valid", Reason.Valid.Name(), result.Epoch, writer =>
            {
                Report.Number(writer, "first_epoch", result.FirstEpoch);
                writer.WriteNumber("verified_epochs"u8, result.VerifiedEpochs);
                writer.WriteStartArray("switches"u8);
                foreach (ulong epoch in result.Switches)
                {
                    writer.WriteNumberValue(epoch);
                }
                writer.WriteEndArray();
                writer.WriteNumber("checkpoint_size"u8, head.CheckpointSize);
                writer.WriteNumber("time_ms"u8, head.Time.ToUnixTimeMilliseconds());
                writer.WriteBoolean("silent"u8, result.IsSilent);
            });
        }
        else
        {
            host.Out.WriteLine($"log: epochs {result.FirstEpoch} to {result.Epoch}, valid ({result.VerifiedEpochs} new)");
            host.Out.WriteLine(
                $"  checked  the log's signature on {head.CheckpointSize} epochs, its consistency with the one kept, every record and board entry, append-only proofs of all four trees");
            if (result.Switches.Count > 0)
            {
                host.Out.WriteLine(
                    $"  not compared  devices and keys at the switches of the period, epochs {string.Join(", ", result.Switches)}: their owners check what was handed over");
            }
            if (result.FirstEpoch > 0)
            {
                host.Out.WriteLine($"  trusted  the record of epoch {result.FirstEpoch}: nothing before it was verified");
            }
        }
        if (result.IsSilent)
        {
            host.Error.WriteLine(
                $"warning: the newest epoch is of {head.Time:yyyy-MM-dd HH:mm:ss}Z: the log has stopped publishing, or this server hides newer epochs.");
        }
        return ExitCodes.Success;
    }

    private sealed class Steps : IProgress<AuditProgress>
    {
        private readonly ProgressTask _task;
        private ulong? _first;

        public Steps(ProgressTask task)
        {
            _task = task;
        }

        public void Report(AuditProgress value)
        {
            _first ??= value.Epoch;
            _task.MaxValue = Math.Max(1, value.Target - _first.Value);
            _task.Value = value.Target == _first ? 1 : value.Epoch - _first.Value;
            _task.Description = $"epoch {value.Epoch} of {value.Target}";
        }
    }
}
