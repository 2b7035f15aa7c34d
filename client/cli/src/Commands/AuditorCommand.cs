using System.CommandLine;
using Optiks.Auditor;
using Optiks.Commands;
using Optiks.Pkcs11;
using Optiks.Protocol;
using Optiks.Secrets;
using Optiks.Tlog;

namespace Optiks.Cli.Commands;

/// <summary>
/// Runs an auditor that signs (docs/operations/auditors.md): creates its key, runs it as a daemon or once for each log, and resumes an
/// audit after a person has examined why an answer was refused.
/// </summary>
internal static class AuditorCommand
{
    public static Command Create(GlobalOptions options, CommandHost host)
    {
        var settings = new AuditorArguments();
        var once = new Option<bool>("--once") { Description = "look at every log once, sign, and end instead of serving" };
        var command = new ServiceCommand(
            "auditor", "Follow logs for others: verify every epoch, cosign checkpoints, serve what was signed, and tell of what is wrong")
        {
            once,
            Init(options, host),
            Resume(options, host, settings),
        };
        settings.AddTo(command);
        command.SetAction(async (parse, cancellationToken) =>
        {
            (AuditorSettings chosen, INoteSigner key) = settings.Read(options, parse, host);
            return parse.GetValue(once)
                ? await AuditorHost.OnceAsync(chosen, key, host.Http, host.Time, report => Print(host, options.Json(parse), report),
                    cancellationToken).ConfigureAwait(false)
                : await AuditorHost.RunAsync(chosen, key, host.Http).ConfigureAwait(false);
        });
        return command;
    }

    private static Command Init(GlobalOptions options, CommandHost host)
    {
        var name =
            new Option<string>("--name")
            {
                Description = "name of the key, which nobody else has: such as auditor.example.org/optiks",
                HelpName = "NAME",
                Required = true,
            };
        var file = new Option<string>("--key-file") { Description = "file to make, mode 0600", HelpName = "FILE", Required = true };
        var token =
            new Option<string>("--pkcs11")
            {
                Description =
                "keep the private key in a token: its URI (RFC 7512) with module-path and pin-source; the file then says where it is",
                HelpName = "URI"
            };
        var command = new Command(
            "init", "Make an auditor's key and print its public side (vkey), for clients and operators") { name, file, token };
        command.SetAction(parse =>
        {
            try
            {
                (string path, string named, string? uri) = (parse.GetValue(file)!, parse.GetValue(name)!, parse.GetValue(token));
                VerifierKey key = uri is null ? CosignerKeyFile.Create(path, named) : CosignerKey.Create(path, named, uri);
                if (options.Json(parse))
                {
                    Report.Json(host, "valid", Reason.Valid.Name(), null, writer => writer.WriteString("vkey"u8, key.ToString()));
                }
                else
                {
                    host.Out.WriteLine(key.ToString());
                    host.Error.WriteLine(
                        $"The private key is {(uri is null ? "in" : "in the token that is named by")} {path}. Use it for this auditor alone, and keep a copy where nobody reads it.");
                }
                return ExitCodes.Success;
            }
            catch (SecretsException e)
            {
                throw new UsageException(e.Message, e);
            }
        });
        return command;
    }

    private static Command Resume(GlobalOptions options, CommandHost host, AuditorArguments settings)
    {
        var command = new Command(
            "resume",
            "Go on with logs that stopped at a proof which no server gave, or whose mark is lost, after a person looked; not after what the log's signature shows");
        settings.AddTo(command);
        command.SetAction(async (parse, cancellationToken) =>
        {
            (AuditorSettings chosen, INoteSigner key) = settings.Read(options, parse, host);
            using INoteSigner held = key;
            IReadOnlyList<string> done =
                await AuditorHost.ResumeAsync(chosen, held, host.Http, host.Time, cancellationToken).ConfigureAwait(false);
            if (options.Json(parse))
            {
                Report.Json(host, "valid", Reason.Valid.Name(), null, writer =>
                {
                    writer.WriteStartArray("done"u8);
                    foreach (string line in done)
                    {
                        writer.WriteStringValue(line);
                    }
                    writer.WriteEndArray();
                });
            }
            else
            {
                host.Out.WriteLine(
                    done.Count == 0 ? "Nothing was stopped." : string.Join('\n', done.Select(line => DisplayText.Escape(line))));
            }
            return ExitCodes.Success;
        });
        return command;
    }

    private static void Print(CommandHost host, bool json, AuditorReport report)
    {
        if (json)
        {
            Report.Json(host, report.Finding is null ? report.SignedEpoch is null ? null : "valid" : "invalid",
                report.Finding?.Reason ?? report.Condition, report.SignedEpoch, writer =>
            {
                writer.WriteString("origin"u8, report.Origin);
                writer.WriteNumber("first_epoch"u8, report.FirstEpoch);
                Report.Number(writer, "verified_to", report.VerifiedEpoch);
                writer.WriteNumber("proof_octets"u8, report.ProofOctets);
                writer.WriteString("condition"u8, report.Condition);
                writer.WriteString("description"u8, report.Description);
                if (report.Finding is { } finding)
                {
                    writer.WriteBoolean("proven"u8, finding.IsProven);
                    Report.Number(writer, "failed_from", finding.From);
                    Report.Number(writer, "failed_to", finding.To);
                    writer.WriteString("evidence"u8, finding.EvidencePath);
                }
            });
        }
        else
        {
            host.Out.WriteLine($"{DisplayText.Escape(report.Origin)}: {DisplayText.Escape(report.Description)}");
        }
        if (report.Warning is { } warning)
        {
            host.Error.WriteLine($"warning: {DisplayText.Escape(warning)}");
        }
        if (report.Finding is { } found)
        {
            host.Error.WriteLine($"{DisplayText.Escape(report.Origin)}: the evidence is in {found.EvidencePath}. Nothing more is signed.");
        }
    }
}
